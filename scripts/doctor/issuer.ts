import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { ALGORITHMS } from '../../src/http/auth/verified-token.ts'
import { sendToConfigured } from '../../src/platform/outbound/configured.ts'
import { discover } from '../../src/platform/outbound/source.ts'
import { advice, type Context, ok, problem, type Result } from './finding.ts'

const LIMITS = { timeoutMs: 5_000, maxBytes: 4 * 1024 * 1024 }

/** The header Date has whole seconds. */
const DATE_ERROR_MS = 1_000

/** A token is valid from its first second, with the leeway of the console. */
const ADVICE_MS = 1_000
const PROBLEM_MS = 30_000

/** The discovery document, the keys, and the clock of the issuer. */
export async function checkIssuer({ config, now }: Context): Promise<Result[]> {
  const { issuer, jwksUrl } = config.auth
  try {
    const url = jwksUrl ?? String((await discover(issuer))['jwks_uri'])
    const before = now()
    const { status, headers, body } = await sendToConfigured(url, LIMITS)
    if (status !== 200) throw new Error(`${url} returned status ${status}`)
    const date = Date.parse(headers.get('date') ?? '')
    return [
      checkKeySet(JSON.parse(body?.toString() ?? '') as JSONWebKeySet),
      ...(Number.isNaN(date) ? [] : [compareClocks({ before, after: now(), theirs: date })]),
    ]
  } catch (error) {
    return [
      problem(
        `The keys of the issuer cannot be read: ${explain(error as Error)}.`,
        'Check AUTH_ISSUER, which must equal the claim iss to the letter, and AUTH_JWKS_URL.',
      ),
    ]
  }
}

interface Reading {
  before: number
  after: number
  theirs: number
}

function compareClocks({ before, after, theirs }: Reading): Result {
  const aheadMs = (before + after) / 2 - theirs
  const isCertain = Math.abs(aheadMs) - (after - before) / 2 - DATE_ERROR_MS
  const distance = `${(Math.abs(aheadMs) / 1_000).toFixed(1)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`
  const text = `The clock here is ${distance} that of the issuer.`
  const remedy = 'Synchronise both clocks (chronyc tracking)'
  if (isCertain > PROBLEM_MS) return problem(text, `${remedy}: tokens are valid between two times.`)
  return isCertain > ADVICE_MS ? advice(text, `${remedy}.`) : ok('the clock agrees with that of the issuer')
}

function checkKeySet(set: JSONWebKeySet): Result {
  createLocalJWKSet(set)
  const usable = set.keys.filter(
    ({ alg, use }) => (alg === undefined || ALGORITHMS.includes(alg)) && use !== 'enc',
  )
  const asymmetric = usable.filter(({ kty }) => kty !== 'oct')
  return asymmetric.length > 0
    ? ok(`the issuer has ${asymmetric.length === 1 ? 'a key' : `${asymmetric.length} keys`}`)
    : problem(
        'The issuer has no key that the console accepts: every token gets 401.',
        `Let the issuer sign with one of ${ALGORITHMS.join(', ')}.`,
      )
}

/** `fetch failed` does not say why; its cause does. */
export function explain(error: Error): string {
  const { cause, message } = error
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message
}
