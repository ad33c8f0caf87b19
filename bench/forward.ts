import { randomBytes, randomUUID } from 'node:crypto'
import { freePorts } from '../dev/free-port.ts'
import { startIssuer } from '../test/support/issuer/issuer.ts'
import { type BenchOptions, contest, measuring } from './contest.ts'
import { startProxy, startUpstream } from './nginx.ts'
import { startService } from './script-process.ts'
import { sendRequests } from './wrk.ts'

const RESPONSE = JSON.stringify({
  agent_id: randomUUID(),
  state: 'proposed',
  generation: 7,
  proposals: Array.from({ length: 5 }, () => ({
    id: randomUUID(),
    score: 0.87,
    changes: ['agent_system_prompt'],
  })),
})

const CONSOLE = 'console'
const BARE = 'bare Fastify and undici'
const NGINX = 'nginx'

/** Forwarding with token check, log, metrics and breaker, against the least a Node gateway can do, and against nginx. */
export async function benchForward(options: BenchOptions): Promise<void> {
  const [upstream = 0, proxy = 0, bare = 0, port = 0, metricsPort = 0] = await freePorts(5)
  const upstreamUrl = `http://127.0.0.1:${upstream}`
  const nodeOptions = process.env['BENCH_NODE_OPTIONS']
  const stops: (() => Promise<void>)[] = []
  const started = async <Process extends { stop: () => Promise<void> }>(starting: Promise<Process>) => {
    const running = await starting
    stops.push(running.stop)
    return running
  }
  try {
    const issuer = await startIssuer()
    stops.push(() => issuer.close())
    await started(startUpstream(upstream, RESPONSE))
    const nginx = await started(startProxy(proxy, upstream))
    const console = await started(
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
          ...(nodeOptions ? { NODE_OPTIONS: nodeOptions } : {}),
        },
        `http://127.0.0.1:${port}/health/live`,
        { isRead: false },
      ),
    )
    const gateway = await started(
      startService('bench/passthrough.ts', { NODE_ENV: 'production' }, `http://127.0.0.1:${bare}/`, {
        args: [String(bare), upstreamUrl],
        isRead: false,
      }),
    )
    const path = `/v1/evolution/status/${randomUUID()}`
    const authorization = `Bearer ${await issuer.token({ user: randomUUID(), team: randomUUID() })}`
    const contender = (name: string, pid: number, on: number, headers: Record<string, string> = {}) => ({
      name,
      measure: measuring([pid], (s) => sendRequests({ url: `http://127.0.0.1:${on}${path}`, headers }, s)),
    })
    await contest(
      'forward',
      [
        contender(CONSOLE, console.pid, port, { authorization }),
        contender(BARE, gateway.pid, bare),
        contender(NGINX, nginx.pid, proxy),
      ],
      [
        { of: CONSOLE, against: BARE, costAtMost: 1.25 },
        { of: CONSOLE, against: NGINX },
      ],
      options,
    )
  } finally {
    await Promise.all(stops.map((stop) => stop()))
  }
}
