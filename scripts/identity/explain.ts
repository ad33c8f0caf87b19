import { compactVerify, decodeJwt, decodeProtectedHeader, errors, type JWTPayload, UnsecuredJWT } from 'jose'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { Problem } from '../../src/api/problem.ts'
import type { IdentityOptions } from '../../src/http/auth/identity.ts'
import { createIssuerKeys } from '../../src/http/auth/issuer-keys.ts'
import { createRevocations } from '../../src/http/auth/revocations.ts'
import {
  ALGORITHMS,
  createTokenReader,
  findProfileFaults,
  LEEWAY_SECONDS,
  readGrants,
  type VerifiedToken,
} from '../../src/http/auth/verified-token.ts'

export interface Explanation {
  /** What the console reads from the token: a label and a text each. */
  facts: [label: string, text: string][]
  /** A sentence for each reason why the console would refuse the token. */
  refusals: string[]
  /** Sentences about what could not be checked. */
  unchecked: string[]
  /** Sentences about what does not work although the token is accepted. */
  notes: string[]
}

type Part = Partial<Explanation>

const MAX_QUOTED = 500
/** JSON escapes only some of the characters that a terminal obeys: not U+009B, nor those that reorder a line. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Texts of a token may contain anything, such as control characters of a terminal. */
function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? 'none'
  const shown = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text
  return shown.replaceAll(NOT_SHOWN, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
const MAX_LISTED = 20

/** Never contains the token or its signature. */
export async function explainToken(token: string, options: IdentityOptions): Promise<Explanation> {
  const decoded = decode(token)
  if (!decoded) {
    const refusal =
      token === ''
        ? 'There is no token. Pass it on standard input or as an argument.'
        : 'The token is not a JWT. Opaque tokens, such as the access tokens of Google, cannot be verified.'
    return { facts: [], refusals: [refusal], unchecked: [], notes: [] }
  }
  const { header, payload } = decoded
  const verified = createTokenReader(options)(payload)
  const parts = [
    await explainSignature(token, header, options),
    explainClaims(payload, options),
    explainProfile(header, payload, options),
    explainUser(verified, options),
    explainTeams(verified, options),
    explainPermissions(payload, verified, options),
    await explainRevocation(verified, options),
  ]
  return {
    facts: parts.flatMap(({ facts = [] }) => facts),
    refusals: parts.flatMap(({ refusals = [] }) => refusals),
    unchecked: parts.flatMap(({ unchecked = [] }) => unchecked),
    notes: parts.flatMap(({ notes = [] }) => notes),
  }
}

function decode(token: string) {
  try {
    return { header: decodeProtectedHeader(token), payload: decodeJwt(token) }
  } catch {
    return undefined
  }
}

async function explainSignature(
  token: string,
  { alg, kid }: { alg?: string; kid?: string },
  options: IdentityOptions,
): Promise<Part> {
  const facts: Explanation['facts'] = [['signature', `${quote(alg)} with the key ${quote(kid)}`]]
  const keys = createIssuerKeys({ ...options, onChange: () => {} })
  try {
    await compactVerify(token, keys.getKey, { algorithms: ALGORITHMS })
    return { facts }
  } catch (error) {
    if (!(error instanceof Problem)) return { facts, refusals: [signatureFault(error)] }
    const notLoaded = `The keys of the issuer could not be loaded, so the signature was not checked: ${reasonOf(keys)}.`
    return { facts, unchecked: [notLoaded] }
  }
}

/** Why a document could not be loaded. */
function reasonOf(source: { failure: () => Error | undefined }): string {
  const failure = source.failure()
  return (failure?.cause instanceof Error ? failure.cause.message : failure?.message) ?? 'it is not known why'
}

function signatureFault(error: unknown): string {
  if (error instanceof errors.JWKSNoMatchingKey)
    return 'The issuer publishes no key with this id and algorithm.'
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `The algorithm must be one of ${ALGORITHMS.join(', ')}.`
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature does not match the key.'
  return `The signature cannot be checked: ${(error as Error).message}.`
}

/** The options of the library by the claim that they check. */
const CHECKED_BY: Record<string, string> = { iss: 'issuer', aud: 'audience', exp: 'requiredClaims' }

/** Issuer, audience and times: the library checks them as it does for a request, without a signature. */
function explainClaims(payload: JWTPayload, { issuer, audience, now }: IdentityOptions): Part {
  const expected: Record<string, string> = {
    iss: `AUTH_ISSUER is ${quote(issuer)}`,
    aud: `AUTH_AUDIENCE is ${quote(audience)}`,
    exp: 'it must be a time in the future',
    nbf: 'it must be a time in the past',
    iat: 'it must be a number',
  }
  const refusals: string[] = []
  let claims = payload
  let checks: Record<string, unknown> = { issuer, audience, requiredClaims: ['exp'] }
  // The library reports one fault at a time: the next round leaves it out.
  for (let fault = findFault(claims, checks, now); fault; fault = findFault(claims, checks, now)) {
    refusals.push(`The claim ${fault} is ${quote(payload[fault])}, but ${expected[fault]}.`)
    claims = without(claims, fault)
    checks = without(checks, CHECKED_BY[fault] ?? '')
  }
  const facts: Explanation['facts'] = [
    ['issuer', quote(payload.iss)],
    ['audience', quote(payload.aud)],
    ['issued at', time(payload.iat)],
    ['expires at', time(payload.exp)],
  ]
  return { facts, refusals }
}

function findFault(claims: JWTPayload, checks: object, now: () => number): string | undefined {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = `${encode({ alg: 'none' })}.${encode(claims)}.`
  try {
    UnsecuredJWT.decode(unsigned, {
      ...checks,
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now()),
    })
    return undefined
  } catch (error) {
    return (error as errors.JWTClaimValidationFailed).claim
  }
}

const without = <Value extends object>(value: Value, name: string): Value =>
  Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)) as Value

function time(seconds: number | undefined): string {
  const date = new Date((seconds ?? Number.NaN) * 1_000)
  return Number.isNaN(date.getTime()) ? quote(seconds) : date.toISOString()
}

function explainProfile(
  header: { typ?: string },
  payload: JWTPayload,
  { now, maxLifetimeS }: IdentityOptions,
): Part {
  return {
    facts: [['type', quote(header.typ)]],
    refusals: findProfileFaults(header, payload, { nowSeconds: now() / 1_000, maxLifetimeS }),
  }
}

function explainUser(verified: VerifiedToken, { claims }: IdentityOptions): Part {
  const { userId, userValue, name, clientId, tokenId } = verified
  const facts: Explanation['facts'] = [
    ['user', userId === null ? 'none' : `${identified(userId, userValue)}, from the claim ${claims.user}`],
    ['name', `${quote(name)}, from the claim ${claims.name}`],
    ['client', quote(clientId)],
    ['token id', quote(tokenId)],
  ]
  if (userId !== null) return { facts }
  return {
    facts,
    refusals: [`The token has no user: the claim ${claims.user} (AUTH_CLAIM_USER) is not a text.`],
  }
}

const identified = (id: string, value: string | null) =>
  id === value?.toLowerCase() ? id : `${id}, derived from ${quote(value)}`

function explainTeams({ teams }: VerifiedToken, { claims }: IdentityOptions): Part {
  const listed = teams.slice(0, MAX_LISTED)
  const facts: Explanation['facts'] = listed.map(({ id, value }) => [
    'team',
    `${identified(id, value)}, from the claim ${claims.team}`,
  ])
  if (teams.length > listed.length) facts.push(['team', `and ${teams.length - listed.length} more`])
  if (teams.length === 0) {
    return {
      facts,
      refusals: [
        `The token has no team: the claim ${claims.team} (AUTH_CLAIM_TEAM) is no text and no list of texts.`,
      ],
    }
  }
  if (teams.length === 1) return { facts }
  return {
    facts,
    notes: ['The token has several teams: each request must name one in the header console-team.'],
  }
}

function explainPermissions(
  payload: JWTPayload,
  { permissions }: VerifiedToken,
  { claims, roles }: IdentityOptions,
): Part {
  const isKnown = (value: string) => (PERMISSIONS as string[]).includes(value)
  const grants = readGrants(payload, [...new Set([claims.scope, claims.permissions])], roles)
  const ignored = grants.filter(({ value }) => !isKnown(value) && !roles.has(value))
  const facts: Explanation['facts'] = grants
    .filter((grant) => !ignored.includes(grant))
    .map(({ claim, value, ofRole }) => [
      'permission',
      isKnown(value)
        ? `${value}, from the claim ${claim}`
        : `${ofRole.join(', ')}, from the role ${quote(value)} in the claim ${claim}`,
    ])
  if (ignored.length > 0) {
    const values = ignored.slice(0, MAX_LISTED).map(({ value }) => quote(value))
    facts.push(['ignored', `${values.join(', ')}: neither a permission nor a role of AUTH_ROLES`])
  }
  if (PERMISSIONS.some((permission) => permissions.has(permission))) return { facts }
  const note =
    `The token grants no permission: the claims ${claims.scope} (AUTH_CLAIM_SCOPE) and ` +
    `${claims.permissions} (AUTH_CLAIM_PERMISSIONS) have none.`
  return { facts, notes: [note] }
}

async function explainRevocation(verified: VerifiedToken, options: IdentityOptions): Promise<Part> {
  if (options.revocationsUrl === undefined) return {}
  const revocations = createRevocations({ ...options, url: options.revocationsUrl })
  await revocations.keepFresh()
  try {
    revocations.check(verified)
    return {}
  } catch (error) {
    const { code, message } = error as Problem
    if (code === 'invalid_token') return { refusals: [message] }
    return { unchecked: [`The list of revoked tokens could not be loaded: ${reasonOf(revocations)}.`] }
  }
}
