import type { AdapterPayload } from 'oidc-provider'

/**
 * A development issuer: whoever knows this published secret is any user of any team. That is the point
 * (one curl gives the token a developer needs) and the reason it must never be reachable from elsewhere.
 */
export const clientSecret = 'development'

/** RFC 8707 wants an absolute URI, an audience may be any string: this URI always stands for the API. */
export const apiResource = 'urn:agent-console:api'

export interface Identity {
  readonly user: string
  readonly team: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const pair = new RegExp(`^(${uuid})\\.(${uuid})$`, 'i')

export const clientId = ({ user, team }: Identity): string => `${user}.${team}`

/** Undefined when the id is no pair of UUIDs: such a client does not exist. */
export function identityOf(id: string): Identity | undefined {
  const [, user, team] = pair.exec(id) ?? []
  return user && team ? { user, team } : undefined
}

/** Nobody registers: a client exists because its id names a user and a team. */
export function findClient(id: string): AdapterPayload | undefined {
  if (!identityOf(id)) return undefined
  return {
    client_id: id,
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
}
