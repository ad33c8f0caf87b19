import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent } from 'undici'
import { freePorts } from '../../dev/free-port.ts'
import { isListening } from './is-listening.ts'
import { type PrivateNginx, startPrivateNginx } from './private-nginx.ts'
import { until } from './until.ts'

const SHIPPED = readFileSync(join(import.meta.dirname, '../../deploy/nginx/nginx.conf'), 'utf8')

/** An nginx with the settings of deploy/nginx in front of replicas. */
export interface Proxy extends PrivateNginx {
  url: string
  /** For `fetch`: trusts its certificate. */
  dispatcher: Agent
}

export async function startProxy(replicas: string[]): Promise<Proxy> {
  const [port = 0] = await freePorts(1)
  let certificate = ''
  const { pid, stop } = await startPrivateNginx((folder) => {
    certificate = makeCertificate(folder)
    return adapt(folder, port, replicas)
  })
  await until('nginx listens', () => isListening(port))
  const dispatcher = new Agent({ connect: { ca: certificate, servername: 'console.example.com' } })
  return {
    url: `https://127.0.0.1:${port}`,
    dispatcher,
    pid,
    stop: async () => {
      await dispatcher.destroy()
      await stop()
    },
  }
}

function makeCertificate(folder: string): string {
  const files = ['-keyout', join(folder, 'console.key'), '-out', join(folder, 'console.pem')]
  const subject = ['-subj', '/CN=console.example.com', '-addext', 'subjectAltName=DNS:console.example.com']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject],
    { stdio: 'ignore' },
  )
  return readFileSync(join(folder, 'console.pem'), 'utf8')
}

/** Replaces what a deployment replaces, and the folders of the system. */
function adapt(folder: string, port: number, replicas: string[]): string {
  const servers = replicas.map((url) => `server ${new URL(url).host} max_fails=1 fail_timeout=5s;`).join('\n')
  const changes: [string | RegExp, string][] = [
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    [/(?:server 10\.0\.0\.\d+:8080 .*\s+)+/, `${servers}\n`],
    ['/etc/ssl/', `${folder}/`],
    ['/etc/ssl/', `${folder}/`],
    ['/run/nginx.pid', `${folder}/pid`],
    ['/var/log/nginx/error.log', `${folder}/error.log`],
    [
      'access_log /var/log/nginx/access.log;',
      `access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;`,
    ],
  ]
  return changes.reduce((text, [from, to]) => {
    const changed = text.replace(from, to)
    assert.notEqual(changed, text, String(from))
    return changed
  }, SHIPPED)
}
