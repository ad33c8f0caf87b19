import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { TestContext } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { startConsole, type TestConsole } from './console.ts'
import { send } from './identity-scene.ts'
import { startIssuer } from './issuer/issuer.ts'

export interface Watched {
  running: TestConsole
  clock: { ms: number }
  /** Moves the clock forward. */
  pass: (seconds: number) => void
  /** A token of a new user, valid for months, signed with the issuer's current key. */
  token: (header?: Record<string, unknown>, claims?: Record<string, unknown>) => Promise<string>
  /** A token with an unknown key id. */
  unknown: () => Promise<string>
  send: (token: string) => ReturnType<typeof send>
  /** Returns once the console has no fetch of keys under way. */
  settled: () => ReturnType<typeof send>
}

const LIFETIME_S = 100 * 86_400
/** Tokens of a test may have been issued an hour ago. */
const MAX_LIFETIME_S = LIFETIME_S + 3_600

/** A console whose clock stands still. */
export async function watch(t: TestContext, environment: Record<string, string> = {}): Promise<Watched> {
  const clock = { ms: Math.floor(Date.now() / 1_000) * 1_000 }
  const running = await startConsole({
    overrides: { now: () => clock.ms },
    environment: { AUTH_MAX_LIFETIME_S: String(MAX_LIFETIME_S), ...environment },
    issuer: await startIssuer(),
  })
  t.after(() => running.close())
  const { issuer } = running
  const token: Watched['token'] = (header, claims) =>
    issuer.sign(
      {
        iss: environment['AUTH_ISSUER'] ?? issuer.url,
        aud: issuer.audience,
        exp: clock.ms / 1_000 + LIFETIME_S,
        sub: randomUUID(),
        team_id: randomUUID(),
        scope: 'agent:read',
        ...claims,
      },
      header,
    )
  const unknown = () => token({ kid: randomUUID() })
  return {
    running,
    clock,
    pass: (seconds) => {
      clock.ms += seconds * 1_000
    },
    token,
    unknown,
    send: (sent) => send({ running }, sent),
    // An unknown key waits for whatever fetch is under way.
    settled: async () => send({ running }, await unknown()),
  }
}

/** A test, or the suite of the calling file. */
export interface WithAfter {
  after: (close: () => Promise<void>) => void
}

export interface StandIn {
  url: string
  /** The paths asked for, in order. */
  asked: string[]
  stop: () => Promise<void>
}

/** A server in an issuer's place: at its address if one is given. */
export async function standIn(t: WithAfter, answer: RequestListener, at?: string): Promise<StandIn> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.shouldKeepAlive = false
    answer(request, response)
  })
  const open = (port: number) => listen(server, port, '127.0.0.1')
  const port = at === undefined ? await onFreePort(open) : await open(Number(new URL(at).port))
  const stop = () => stopListening(server)
  t.after(stop)
  return { url: `http://127.0.0.1:${port}`, asked, stop }
}
