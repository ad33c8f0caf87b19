import type { AdapterPayload } from 'oidc-provider'

/** Published: with it a developer gets a token of any user of any team by one curl command. The issuer must therefore
 * never be reachable from other machines. */
export const clientSecret = 'development'

/** The resource must be an absolute URI (RFC 8707), while an audience may be any string. */
export const apiResource = 'urn:agent-console:api'

/** The browser console. */
export const webClientId = 'agent-console-web'
/** A program on the user's machine, which takes the code on a port of its own choice. */
export const cliClientId = 'agent-console-cli'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

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

/** There is no registration: every id that names a user and a team is a client. `consoleUrls` are the addresses of the
 * browser console. */
export function findClient(id: string, consoleUrls: Iterable<string>): AdapterPayload | undefined {
  if (id === webClientId) return describeWebClient([...consoleUrls])
  if (id === cliClientId) return CLI_CLIENT
  if (!identityOf(id)) return undefined
  return {
    client_id: id,
    client_secret: clientSecret,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  }
}

/** A public client has no secret: PKCE binds the code to the program that asked for it. */
const PUBLIC_CLIENT: AdapterPayload = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/** Of a native client the provider accepts any port of a loopback address (RFC 8252 section 7.3). */
const CLI_CLIENT: AdapterPayload = {
  ...PUBLIC_CLIENT,
  client_id: cliClientId,
  client_name: 'Agent Console on the command line',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
  redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
}

/** Undefined while no console is known: a client must have a redirect URI. */
function describeWebClient(urls: string[]): AdapterPayload | undefined {
  if (urls.length === 0) return undefined
  return {
    ...PUBLIC_CLIENT,
    client_id: webClientId,
    client_name: 'Agent Console',
    redirect_uris: urls.map((url) => `${url}/console/auth/callback`),
    post_logout_redirect_uris: urls.flatMap((url) => [`${url}/console/`, `${url}/console/signed-out`]),
  }
}
