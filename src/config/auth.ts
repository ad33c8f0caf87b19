import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PERMISSIONS, type Permission } from '../api/caller.ts'
import type { AuthOptions } from '../http/auth/identity.ts'
import type { Roles } from '../http/auth/verified-token.ts'
import { isObject } from '../platform/json.ts'
import {
  createReader,
  type Environment,
  parseHttpUrl,
  parseInteger,
  parseText,
  parseUri,
  type Reader,
} from './reader.ts'

/** For a command that only reads tokens. */
export function readAuthConfig(environment: Environment): Readonly<AuthOptions> {
  const reader = createReader(environment)
  return reader.finish(readAuth(reader))
}

export function readAuth({ read, readOptional }: Reader): Readonly<AuthOptions> {
  return {
    issuer: read('AUTH_ISSUER', parseHttpUrl),
    audience: read('AUTH_AUDIENCE', parseText),
    jwksUrl: readOptional('AUTH_JWKS_URL', parseHttpUrl),
    claims: {
      user: read('AUTH_CLAIM_USER', parseClaimName, 'sub'),
      team: read('AUTH_CLAIM_TEAM', parseClaimName, 'team_id'),
      scope: read('AUTH_CLAIM_SCOPE', parseClaimName, 'scope'),
      permissions: read('AUTH_CLAIM_PERMISSIONS', parseClaimName, 'permissions'),
      name: read('AUTH_CLAIM_NAME', parseClaimName, 'name'),
    },
    roles: read('AUTH_ROLES', parseRoles, new Map()),
    maxLifetimeS: read('AUTH_MAX_LIFETIME_S', (text) => parseInteger(text, 60, 366 * 86_400), 86_400),
    revocationsUrl: readOptional('AUTH_REVOCATIONS_URL', parseHttpUrl),
  }
}

/** Parses the name of a claim, a path with dots or a JSON pointer. The error completes the name of the variable. */
function parseClaimName(text: string): string {
  if (text.startsWith('/') && /~(?![01])/.test(text)) {
    throw new Error('must write ~ as ~0 and / as ~1 inside a JSON pointer')
  }
  return text
}

/** Parses a JSON object with the permissions of each role. */
function parseRoles(text: string): Roles {
  const roles = Object.entries(parseJsonObject(text))
  for (const [role, granted] of roles) {
    if (isPermission(role)) throw new Error(`has the role ${role}, which is a permission`)
    if (!Array.isArray(granted)) throw new Error(`must have a list of permissions for the role ${role}`)
    const unknown = granted.find((name) => !isPermission(name))
    if (unknown !== undefined) {
      throw new Error(`gives the role ${role} the unknown permission ${JSON.stringify(unknown)}`)
    }
  }
  return new Map(roles as [string, Permission[]][])
}

const isPermission = (name: unknown) => (PERMISSIONS as unknown[]).includes(name)

function parseJsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {}
  throw new Error('must be a JSON object such as {"admin": ["agent:read", "agent:write"]}')
}

export interface WebConfig {
  /** The public client of the browser console at the issuer. */
  readonly clientId: string
  readonly scope: string
  /** The resource indicator (RFC 8707) that it sends to the issuer. */
  readonly resource: string | undefined
  /** What `npm run build:web` writes. */
  readonly folder: string
}

/** `profile` gives the console a name to show, the permissions are what a person may get at most. */
const WEB_SCOPE = ['openid', 'profile', 'email', ...PERMISSIONS].join(' ')

export function readWeb({ read, readOptional, refuse }: Reader): WebConfig | undefined {
  const clientId = readOptional('WEB_CLIENT_ID', parseText)
  const web = {
    scope: read('WEB_SCOPE', parseText, WEB_SCOPE),
    resource: readOptional('WEB_RESOURCE', parseUri),
    folder: read('WEB_FOLDER', parseText, fileURLToPath(new URL('../../web/dist', import.meta.url))),
  }
  if (clientId === undefined) return undefined
  if (!existsSync(join(web.folder, 'index.html'))) {
    refuse(`WEB_CLIENT_ID is set, but ${web.folder} has no index.html; run npm run build:web`)
  }
  return { clientId, ...web }
}
