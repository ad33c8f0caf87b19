import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One nginx that is the upstream on one port and a proxy to it on another. */
export async function startNginx(ports: { upstream: number; proxy: number }, answer: string) {
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
  keepalive_requests 1000000000;
  upstream service { server 127.0.0.1:${ports.upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${ports.upstream};
    location / { default_type application/json; return 200 '${answer}'; }
  }
  server {
    listen 127.0.0.1:${ports.proxy};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
  )
  const child = spawn('nginx', ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  const failed = once(child, 'error').then(([error]) => {
    throw (error as { code?: string }).code === 'ENOENT'
      ? new Error('nginx is not installed: apt-get install nginx-light')
      : error
  })
  const ready = new Promise<void>((resolve) => setTimeout(resolve, 500))
  await Promise.race([ready, failed])
  failed.catch(() => {})
  return {
    stop: async () => {
      const closed = once(child, 'close')
      child.kill('SIGQUIT')
      await closed
      await rm(folder, { recursive: true })
    },
  }
}
