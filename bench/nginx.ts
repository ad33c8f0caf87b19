import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from './run-tool.ts'

export interface Nginx {
  pid: number
  stop: () => Promise<void>
}

/** An nginx that returns the same body for every request. */
export function startUpstream(port: number, body: string): Promise<Nginx> {
  return startNginx(`
  server {
    listen 127.0.0.1:${port};
    location / { default_type application/json; return 200 '${body}'; }
  }`)
}

export function startProxy(port: number, upstream: number): Promise<Nginx> {
  return startNginx(`
  upstream service { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`)
}

async function startNginx(servers: string): Promise<Nginx> {
  await runTool('nginx', 'nginx-light', ['-v'])
  const folder = await mkdtemp(join(tmpdir(), 'console-nginx-'))
  const file = join(folder, 'nginx.conf')
  await writeFile(
    file,
    `
daemon off;
worker_processes 1;
pid ${folder}/pid;
error_log ${folder}/error.log;
events { worker_connections 4096; }
http {
  access_log off;
  keepalive_requests 1000000000;${servers}
}
`,
  )
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  await once(child, 'spawn')
  return { pid: child.pid as number, stop: () => stop(child, folder) }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGQUIT')
  await closed
  await rm(folder, { recursive: true })
}
