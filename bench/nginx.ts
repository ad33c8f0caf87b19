import { type PrivateNginx, startPrivateNginx } from '../test/support/private-nginx.ts'
import { runTool } from './run-tool.ts'

/** An nginx that returns the same body for every request. */
export function startUpstream(port: number, body: string): Promise<PrivateNginx> {
  return startNginx(`
  server {
    listen 127.0.0.1:${port};
    location / { default_type application/json; return 200 '${body}'; }
  }`)
}

export function startProxy(port: number, upstream: number): Promise<PrivateNginx> {
  return startNginx(`
  upstream service { server 127.0.0.1:${upstream}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`)
}

async function startNginx(servers: string): Promise<PrivateNginx> {
  await runTool('nginx', 'nginx-light', ['-v'])
  return startPrivateNginx(
    (folder) => `
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
}
