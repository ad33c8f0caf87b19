import type { AuthOptions } from '../platform/identity/identity.ts'
import { parseClaimName, parseRoles } from '../platform/identity/settings.ts'
import type { Environment } from '../platform/settings/environment.ts'
import { parseHttpUrl, parseInteger, parseText } from '../platform/settings/parsers.ts'
import { createReader, type Reader } from '../platform/settings/reader.ts'

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
