import { errors, Provider } from 'oidc-provider'
import { PERMISSIONS } from '../../src/api/caller.ts'
import { apiResource, identityOf, webClientId } from './client.ts'
import type { SigningKey } from './keys.ts'
import type { DemoPerson } from './people.ts'
import { createLoadGrant } from './sign-in/grant.ts'
import { interactionPath, registerInteractions } from './sign-in/interactions.ts'
import { confirmCode, enterCode, message, sendPage, signOut } from './sign-in/page.ts'
import type { Store } from './store.ts'

export interface ProviderOptions {
  readonly url: string
  readonly audience: string
  readonly tokenLifetimeSeconds: number
  /** Of the access tokens of people who sign in. */
  readonly personTokenSeconds: number
  readonly people: readonly DemoPerson[]
  readonly store: Store
  readonly signingKey: SigningKey
  /** Published but no longer used: tokens that they signed stay valid. */
  readonly retiredKeys: readonly SigningKey[]
}

const FORTNIGHT = 14 * 86_400

export function createProvider(options: ProviderOptions): Provider {
  const { url, audience, tokenLifetimeSeconds, personTokenSeconds, signingKey, retiredKeys, store } = options
  const { alg, kid } = signingKey
  // The MCP server is a resource of its own for clients, with the audience of the console (RFC 8707).
  const resources = () => [
    apiResource,
    audience,
    ...[...store.consoleUrls].map((console) => `${console}/mcp`),
  ]
  const findPerson = (user: string) => options.people.find((person) => person.user === user)
  const provider = new Provider(url, {
    adapter: store.createAdapter,
    jwks: { keys: [signingKey, ...retiredKeys].map((key) => key.privateJwk) },
    cookies: { keys: store.cookieKeys },
    scopes: ['openid', 'offline_access', ...PERMISSIONS],
    claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
    // The library's default is RS256, and it refuses every client when no such key exists.
    clientDefaults: { id_token_signed_response_alg: alg },
    // Without it the library prints a warning.
    ttl: {
      ClientCredentials: tokenLifetimeSeconds,
      AccessToken: personTokenSeconds,
      IdToken: 3_600,
      Interaction: 3_600,
      Session: FORTNIGHT,
      Grant: FORTNIGHT,
      RefreshToken: FORTNIGHT,
      DeviceCode: 600,
    },
    interactions: { url: (_ctx, { uid }) => interactionPath(uid) },
    findAccount: (_ctx, id) => {
      const person = findPerson(id)
      return person && { accountId: id, claims: () => ({ sub: id, name: person.name, email: person.email }) }
    },
    loadExistingGrant: createLoadGrant(findPerson, resources),
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    clientBasedCORS: (_ctx, origin, { clientId }) =>
      clientId === webClientId && store.consoleUrls.has(origin),
    renderError: (ctx, { error, error_description: text = error }) =>
      sendPage(ctx, message('The sign-in failed', text)),
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      // A program shows a code, and a person enters it (RFC 8628).
      deviceFlow: {
        enabled: true,
        userCodeInputSource: (ctx, form, _parameters, error) => sendPage(ctx, enterCode(form, textOf(error))),
        userCodeConfirmSource: (ctx, form, client, _device, code) =>
          sendPage(ctx, confirmCode(form, client.clientName ?? client.clientId, code)),
        successSource: (ctx) => sendPage(ctx, message('You are signed in', 'Go back to the terminal.')),
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx, form) => sendPage(ctx, signOut(form)),
        postLogoutSuccessSource: (ctx) =>
          sendPage(ctx, message('You are signed out', 'You can close this page.')),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => apiResource,
        // A code or refresh token gives a token for the API, also if the token request names no resource.
        useGrantedResource: () => true,
        getResourceServerInfo(_ctx, resource) {
          if (!resources().includes(resource)) throw new errors.InvalidTarget()
          return {
            audience,
            scope: PERMISSIONS.join(' '),
            accessTokenFormat: 'jwt',
            // Without the kid a retired key of the same algorithm could be picked.
            jwt: { sign: { alg, kid } },
          }
        },
      },
    },
    formats: {
      customizers: {
        jwt(_ctx, token, jwt) {
          const person = token.kind === 'AccessToken' && findPerson(token.accountId)
          if (person) {
            Object.assign(jwt.payload, { name: person.name, ...(person.team && { team_id: person.team }) })
            return
          }
          const identity = identityOf(token.clientId ?? '')
          if (!identity) throw new TypeError(`${token.clientId} names no user and team`)
          Object.assign(jwt.payload, { sub: identity.user, team_id: identity.team })
        },
      },
    },
  })
  registerInteractions(provider, options.people)
  return provider
}

function textOf(error: Error | undefined): string {
  if (!error) return 'Enter the code that the terminal shows.'
  return error.name === 'AbortedError' ? 'The sign-in was cancelled.' : 'There is no such code. Try again.'
}
