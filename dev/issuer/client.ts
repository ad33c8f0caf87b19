import type { AdapterPayload } from 'oidc-provider'

/** Published: with it a developer gets a token of any user of any team by one curl command. The issuer must therefore
 * never be reachable from other machines. */
export const clientSecret = 'development'

/** The resource must be an absolute URI (RFC 8707), while an audience may be any string. */
export const apiResource = 'urn:agent-console:api'

/** The client with which the console exchanges tokens. */
export const exchangeClientId = 'agent-console'
export const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'

export interface Identity {
  readonly user: string
  readonly team: string
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const pair = new RegExp(`^(${uuid})\\.(${uuid})$`, 'i')

export const clientId = ({ user, team }: Identity): string => `${user}.${team}`

/** Undefined if the id is not a pair of UUIDs. */
export function identityOf(id: string): Identity | undefined {
  const [, user, team] = pair.exec(id) ?? []
  return user && team ? { user, team } : undefined
}

/** There is no registration: every id that names a user and a team is a client. */
export function findClient(id: string): AdapterPayload | undefined {
  const isExchange = id === exchangeClientId
  if (!isExchange && !identityOf(id)) return undefined
  return {
    client_id: id,
    client_secret: clientSecret,
    grant_types: [isExchange ? EXCHANGE_GRANT : 'client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
}
