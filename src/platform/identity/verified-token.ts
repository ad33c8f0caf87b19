import type { JWTPayload } from 'jose'
import { readClaim, readLabel, readText } from './claims.ts'
import { type Roles, readGrants } from './grants.ts'
import { createSubjectIds } from './subjects.ts'
import { readTeams, type Team } from './teams.ts'

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
