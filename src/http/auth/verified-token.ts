import type { JWTPayload } from 'jose'
import { v5 as uuidV5 } from 'uuid'
import type { Permission } from '../../api/caller.ts'
import { parseUuid } from '../../api/uuid.ts'
import { isObject } from '../../platform/json.ts'

export interface VerifiedToken {
  /** A UUID. Null if the token has no user. */
  userId: string | null
  /** What the token calls the user. */
  userValue: string | null
  /** The team of the request, a UUID. Null if the token has none, or several of which the request names none. */
  teamId: string | null
  /** Every team of the token. */
  teams: readonly Team[]
  /** Whose share of places and memory its requests use: the team, or without one the user or the subject. */
  tenant: string
  /** Every value of the permission claims, and the permissions of its roles. */
  permissions: ReadonlySet<string>
  /** The display name of the user; the same holds for `clientId` and `tokenId`: null if the token has none. */
  name: string | null
  /** The application that the token was issued to. */
  clientId: string | null
  tokenId: string | null
  /** Seconds since the epoch; null if the token does not say it. */
  issuedAt: number | null
  /** Seconds since the epoch. */
  expiresAt: number
}

/** Names of claims, or paths to them. */
export interface ClaimNames {
  user: string
  team: string
  scope: string
  permissions: string
  name: string
}

export interface TokenReaderOptions {
  issuer: string
  claims: ClaimNames
  roles: Roles
}

/** Names of the claim with the client: RFC 9068, OpenID Connect, Okta, Entra ID version 1. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid', 'appid']
/** Names of the claim with the id of the token: RFC 7519, Entra ID. */
const TOKEN_ID_CLAIMS = ['jti', 'uti']

/** Returns the function that reads the claims of a token whose signature and times were checked. */
export function createTokenReader({ issuer, claims, roles }: TokenReaderOptions) {
  const toId = createSubjectIds(issuer)
  const permissionClaims = [claims.scope, claims.permissions]

  return (payload: JWTPayload): VerifiedToken => {
    const userValue = readText(readClaim(payload, claims.user))
    const userId = userValue === null ? null : toId(userValue)
    const teams = readTeams(readClaim(payload, claims.team), toId)
    const teamId = teams.length === 1 ? (teams[0]?.id ?? null) : null
    const grants = readGrants(payload, permissionClaims, roles)
    return {
      userId,
      userValue,
      teamId,
      teams,
      tenant: teamId ?? userId ?? `subject ${payload.sub}`,
      permissions: new Set(grants.flatMap(({ value, ofRole }) => [value, ...ofRole])),
      name: readLabel(readClaim(payload, claims.name)),
      clientId: readLabel(readFirst(payload, CLIENT_CLAIMS)),
      tokenId: readText(readFirst(payload, TOKEN_ID_CLAIMS)),
      issuedAt: payload.iat ?? null,
      expiresAt: payload.exp as number,
    }
  }
}

function readFirst(payload: JWTPayload, names: string[]): unknown {
  return names.map((name) => payload[name]).find((claim) => readText(claim) !== null)
}

/** The permissions of each role (`AUTH_ROLES`). */
export type Roles = ReadonlyMap<string, readonly Permission[]>

/** A value of a permission claim, and what it grants. */
export interface Grant {
  claim: string
  /** A permission, a role, or a name that means nothing to the console. */
  value: string
  /** What `value` grants as a role. */
  ofRole: readonly Permission[]
}

export function readGrants(payload: object, claimNames: readonly string[], roles: Roles): Grant[] {
  return claimNames.flatMap((claim) =>
    readWords(readClaim(payload, claim)).map((value) => ({ claim, value, ofRole: roles.get(value) ?? [] })),
  )
}

const VERSION_AT = 14

/** Returns the function that turns the value of a user or team claim into a UUID: a UUID is itself, and any other text
 * becomes the version 5 of issuer and text, the same for ever. Null if the text has no UTF-8 form.
 *
 * A UUID of version 5 counts as a text. Otherwise a user who may choose the name of a group could choose the id that
 * the console made of another name. */
export function createSubjectIds(issuer: string): (value: string) => string | null {
  const namespace = uuidV5(issuer, uuidV5.URL)
  return (value) => {
    const parsed = parseUuid(value)
    if (parsed.ok && parsed.uuid[VERSION_AT] !== '5') return parsed.uuid
    return value.isWellFormed() ? uuidV5(value, namespace) : null
  }
}

export interface Team {
  /** A UUID. */
  id: string
  /** What the token calls it. */
  value: string
}

function readTeams(claim: unknown, toId: (value: string) => string | null): Team[] {
  const byId = new Map<string, Team>()
  for (const value of readTexts(claim)) {
    const id = toId(value)
    if (id !== null && !byId.has(id)) byId.set(id, { id, value })
  }
  return [...byId.values()]
}

/** The token in the team that a request names, by the value of the claim or by its UUID. Undefined if it is none of its
 * teams. The token is shared by other requests, so this is a copy. */
export function inTeam(token: VerifiedToken, wanted: string): VerifiedToken | undefined {
  const uuid = parseUuid(wanted)
  const team =
    token.teams.find(({ value }) => value === wanted) ??
    token.teams.find(({ id }) => uuid.ok && id === uuid.uuid)
  return team && { ...token, teamId: team.id, tenant: team.id }
}

const MAX_NAMED = 3
/** What fits into a header as it is. */
const PLAIN = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/

/** A few of the teams, in the form that a request can name them. */
export function nameTeams(teams: readonly Team[]): string {
  const names = teams.slice(0, MAX_NAMED).map(({ id, value }) => (PLAIN.test(value) ? value : id))
  return `${names.join(', ')}${teams.length > MAX_NAMED ? ', …' : ''}`
}

/** Asymmetric only: with HS256 on the list, an attacker could sign with the public key. */
export const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
export const LEEWAY_SECONDS = 30

/** An access token or a plain JWT (RFC 9068 section 2.1, RFC 7515 section 4.1.9). Other types, such as `logout+jwt` and
 * `dpop+jwt`, are signed with the same keys and mean something else. */
const ACCEPTED_TYPE = /^(?:application\/)?(?:at\+)?jwt$/i

interface Profile {
  nowSeconds: number
  maxLifetimeS: number
}

/** Why the console does not accept a token whose signature, issuer, audience and times are right: a sentence for each
 * rule that it breaks. */
export function findProfileFaults(
  { typ }: { typ?: unknown },
  { cnf, exp = 0, iat }: JWTPayload,
  { nowSeconds, maxLifetimeS }: Profile,
): string[] {
  const faults: string[] = []
  if (typ !== undefined && !(typeof typ === 'string' && ACCEPTED_TYPE.test(typ))) {
    faults.push("The token's type is not accepted: typ must be JWT, at+jwt or absent.")
  }
  // RFC 7800: only the holder of the key may use the token, which the console cannot check.
  if (cnf !== undefined) {
    faults.push('The token is bound to a key (claim cnf), which the console does not check.')
  }
  // A token from the future must not live longer than one from now.
  const startsAt = Math.min(iat ?? nowSeconds, nowSeconds + LEEWAY_SECONDS)
  if (exp - startsAt > maxLifetimeS) {
    faults.push(`The token is valid for longer than ${maxLifetimeS} seconds.`)
  }
  return faults
}

/** The value of a claim. `name` is the name of a claim, a path with dots (`realm_access.roles`) or a JSON pointer
 * (`/realm_access/roles`, RFC 6901). A claim with exactly this name comes first, because names may be URLs. */
function readClaim(payload: object, name: string): unknown {
  if (Object.hasOwn(payload, name)) return (payload as Members)[name]
  return toSteps(name).reduce<unknown>(readMember, payload)
}

type Members = Record<string, unknown>

function toSteps(name: string): string[] {
  if (!name.startsWith('/')) return name.split('.')
  const steps = name.slice(1).split('/')
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Own members of objects only: `constructor` and other inherited names are not claims. */
function readMember(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The texts of a claim that is an array, or a text with spaces between them. */
function readWords(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '')
  return readTexts(claim)
}

/** The texts of a claim that is one text or an array. Other members of the array are ignored. */
function readTexts(claim: unknown): string[] {
  return [claim].flat().flatMap((text) => readText(text) ?? [])
}

/** Null for an empty text and for anything else. */
function readText(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' ? claim : null
}

const MAX_LABEL_LENGTH = 255

/** Characters that break a line or act on the text around them: with U+202E, a name could be shown as another one. */
const NOT_SHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** A text to show and to store: without control characters, at most 255 characters. */
function readLabel(claim: unknown): string | null {
  const text = readText(claim)?.toWellFormed().replaceAll(NOT_SHOWN, ' ').trim()
  if (text === undefined) return null
  return Array.from(text).slice(0, MAX_LABEL_LENGTH).join('').trimEnd() || null
}
