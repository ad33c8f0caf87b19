import { randomBytes, randomUUID } from 'node:crypto'
import { freePorts } from '../dev/free-port.ts'
import { startIssuer } from '../dev/issuer/issuer.ts'
import { startService } from '../dev/service.ts'
import { contest } from './contest.ts'
import { startNginx } from './nginx.ts'
import { measure } from './wrk.ts'

const ANSWER = JSON.stringify({
  agent_id: randomUUID(),
  state: 'proposed',
  generation: 7,
  proposals: Array.from({ length: 5 }, () => ({
    id: randomUUID(),
    score: 0.87,
    changes: ['agent_system_prompt'],
  })),
})

const CONSOLE = 'console, with a valid JWT'
const PASSTHROUGH = 'bare Fastify and undici, no JWT'
const NGINX = 'nginx proxy_pass'

/** What forwarding costs beside the least that a Node gateway can do, and beside the C limit. */
export async function benchForward(options: { rounds: number; seconds: number }): Promise<void> {
  const [upstream = 0, proxy = 0, passthrough = 0, port = 0, metricsPort = 0] = await freePorts(5)
  const upstreamUrl = `http://127.0.0.1:${upstream}`
  const nginx = await startNginx({ upstream, proxy }, ANSWER)
  const issuer = await startIssuer()
  const services = await Promise.all([
    startService(
      'src/main.ts',
      {
        NODE_ENV: 'production',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        DATABASE_URL: 'postgres://127.0.0.1:1/unused',
        AUTH_ISSUER: issuer.url,
        AUTH_AUDIENCE: issuer.audience,
        EVOLUTION_URL: upstreamUrl,
        SECRETS_KEYS: `bench:${randomBytes(32).toString('base64')}`,
        SHUTDOWN_DELAY_MS: '0',
      },
      `http://127.0.0.1:${port}/health/live`,
      { isRead: false },
    ),
    startService('bench/passthrough.ts', { NODE_ENV: 'production' }, `http://127.0.0.1:${passthrough}/`, {
      args: [String(passthrough), upstreamUrl],
      isRead: false,
    }),
  ])
  try {
    const path = `/v1/evolution/status/${randomUUID()}`
    const authorization = `Bearer ${await issuer.token({ user: randomUUID(), team: randomUUID() })}`
    const results = await contest(
      [
        {
          name: CONSOLE,
          run: (s) => measure({ url: `http://127.0.0.1:${port}${path}`, headers: { authorization } }, s),
        },
        { name: PASSTHROUGH, run: (s) => measure({ url: `http://127.0.0.1:${passthrough}${path}` }, s) },
        { name: NGINX, run: (s) => measure({ url: `http://127.0.0.1:${proxy}${path}` }, s) },
      ],
      options,
    )
    const [own = 0, bare = 0, c = 0] = [CONSOLE, PASSTHROUGH, NGINX].map((name) => results.get(name))
    process.stdout.write(
      `\nforward, medians: console ${own.toFixed(0)}/s, passthrough ${bare.toFixed(0)}/s, nginx ${c.toFixed(0)}/s\n` +
        `  ${(own / bare).toFixed(2)} of the passthrough (at least 0.85)\n` +
        `  ${(own / c).toFixed(2)} of nginx (aim 0.40)\n`,
    )
    if (own / bare < 0.85) process.exitCode = 1
  } finally {
    await Promise.all([...services.map(({ stop }) => stop()), issuer.close(), nginx.stop()])
  }
}
