import assert from 'node:assert/strict'
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import type { SigningKey } from '../../dev/issuer/keys.ts'
import { type Reply, type TestConsole, useConsole } from './console.ts'
import { startIssuer } from './issuer/issuer.ts'

export type Claims = Record<string, unknown>

export interface Key {
  kid: string
  private: KeyObject
  public: KeyObject
}

/** A console whose issuer publishes a key of each kind, a clock that stands still, and an attacker with keys
 * of his own who even holds the issuer's: whatever he makes with those must fail by some other rule. */
export interface Scene {
  running: TestConsole
  clock: { ms: number }
  ec: Key
  rsa: Key
  attacker: { ec: Key; rsa: Key }
  /** Claims that are accepted, each time of another user. */
  claims: () => Claims
}

/** Closed after the last test of the calling file or suite. */
export async function useScene(environment: Record<string, string> = {}): Promise<Scene> {
  const clock = { ms: Math.floor(Date.now() / 1_000) * 1_000 }
  const issuer = await startIssuer()
  return setScene(await useConsole({ overrides: { now: () => clock.ms }, issuer, environment }), clock)
}

/** The same with a console that runs already, by that clock. */
export async function setScene(running: TestConsole, clock: Scene['clock']): Promise<Scene> {
  const { issuer } = running
  const ec = keyOf(issuer.signingKey())
  await issuer.rotateKey({ alg: 'RS256' })
  const rsa = keyOf(issuer.signingKey())
  await issuer.rotateKey({ alg: 'ES256' })
  const attacker = {
    ec: { kid: 'attacker-ec', ...named(generateKeyPairSync('ec', { namedCurve: 'P-256' })) },
    rsa: { kid: 'attacker-rsa', ...named(generateKeyPairSync('rsa', { modulusLength: 2048 })) },
  }
  const claims = () => ({
    iss: issuer.url,
    aud: issuer.audience,
    exp: clock.ms / 1_000 + 3600,
    sub: randomUUID(),
    team_id: randomUUID(),
    scope: 'agent:read agent:write',
  })
  return { running, clock, ec, rsa, attacker, claims }
}

function keyOf({ kid, privateJwk, publicJwk }: SigningKey): Key {
  return {
    kid,
    private: createPrivateKey({ key: { ...privateJwk }, format: 'jwk' }),
    public: createPublicKey({ key: { ...publicJwk }, format: 'jwk' }),
  }
}

const named = (pair: { privateKey: KeyObject; publicKey: KeyObject }) => ({
  private: pair.privateKey,
  public: pair.publicKey,
})

interface Answer {
  detail: string
  code: string
}

/** Asks for an agent that does not exist. */
export function send(
  { running }: Pick<Scene, 'running'>,
  token: string,
  headers: Record<string, string> = {},
): Promise<Reply<Answer>> {
  return running.request('GET', `/v1/agent-configurations/${randomUUID()}`, { token, headers })
}

/** That there is no such agent, only those learn who got that far. */
export function accepted(reply: Reply<Answer>): void {
  assert.deepEqual([reply.status, reply.body.code], [404, 'agent_not_found'])
}

const METADATA = 'resource_metadata="http://127\\.0\\.0\\.1:\\d+/\\.well-known/oauth-protected-resource"'

/** Tells an OAuth client where to get a token. */
export function challenges(reply: Reply, parameters: string): void {
  assert.match(reply.headers.get('www-authenticate') ?? '', new RegExp(`^Bearer ${METADATA}${parameters}$`))
}

export function refused(
  reply: Reply,
  detail = 'The token is not valid. Get a new one from the issuer.',
  code = 'invalid_token',
): void {
  assert.equal(reply.status, 401)
  challenges(reply, code === 'invalid_token' ? ', error="invalid_token"' : '')
  assert.deepEqual(reply.body, { detail, code })
}
