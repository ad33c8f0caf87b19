import * as oauth from 'oauth4webapi'
import { NotLoggedIn } from '../failure.ts'
import type { Io } from '../io.ts'
import { browserCommand } from './browser.ts'
import { discoverIssuer, explained, type Issuer, Refused, toLogin } from './issuer.ts'
import { openLoopback } from './loopback.ts'
import type { Profile } from './profiles.ts'
import type { Login } from './stored-login.ts'

export interface LogInOptions {
  profile: Pick<Profile, 'issuer' | 'client_id' | 'scope' | 'resource'>
  io: Io
  timeoutMs: number
  /** Sentences for the user. */
  say: (text: string) => void
}

/** How long the user may take. */
const MAX_WAIT_MS = 600_000

/** The browser comes back to this machine with a code that only this process can use (PKCE, RFC 7636). */
export async function logInWithBrowser(options: LogInOptions): Promise<Login> {
  const { profile, io, say } = options
  const issuer = await discoverIssuer({ ...options, issuer: profile.issuer, signal: io.signal })
  const { server, request } = issuer
  const client = { client_id: profile.client_id }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const loopback = await openLoopback()
  try {
    const page = authorizationUrl(issuer, {
      ...parametersOf(profile),
      ...{ response_type: 'code', redirect_uri: loopback.redirectUri, state },
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    say(`Log in with the browser. If it does not open, visit:\n\n  ${page}\n`)
    await io.start(...browserCommand(io, page)).catch(() => say('No browser could be started.'))
    const visited = await waitFor(loopback.visited, io.signal)
    const tokens = await explained(io.signal, `The issuer ${profile.issuer}`, async () => {
      const parameters = oauth.validateAuthResponse(server, client, visited, state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        loopback.redirectUri,
        verifier,
        request(),
      )
      return oauth.processAuthorizationCodeResponse(server, client, response)
    })
    return toLogin(tokens, io.now())
  } finally {
    await loopback.close()
  }
}

/** The user enters a code on any device (RFC 8628). */
export async function logInWithDevice(options: LogInOptions): Promise<Login> {
  const { profile, io, say } = options
  const { server, request } = await discoverIssuer({ ...options, issuer: profile.issuer, signal: io.signal })
  if (!server.device_authorization_endpoint) {
    throw new NotLoggedIn(
      `The issuer ${profile.issuer} does not offer the device flow. Log in with a browser.`,
    )
  }
  const client = { client_id: profile.client_id }
  const { client_id: _, ...parameters } = parametersOf(profile)
  const device = await explained(io.signal, `The issuer ${profile.issuer}`, async () => {
    const response = await oauth.deviceAuthorizationRequest(
      server,
      client,
      oauth.None(),
      new URLSearchParams(parameters),
      request(),
    )
    return oauth.processDeviceAuthorizationResponse(server, client, response)
  })
  say(`Visit ${device.verification_uri} on any device and enter the code:\n\n  ${device.user_code}\n`)
  if (device.verification_uri_complete) say(`Or visit ${device.verification_uri_complete}`)
  return poll(options, device, async () => {
    const response = await oauth.deviceCodeGrantRequest(
      server,
      client,
      oauth.None(),
      device.device_code,
      request(),
    )
    return oauth.processDeviceCodeResponse(server, client, response)
  })
}

type TokenRequest = () => Promise<oauth.TokenEndpointResponse>

/** An issuer that names no interval expects five seconds, and five more each time it says `slow_down`. */
async function poll(
  options: LogInOptions,
  { expires_in: lifetime, interval = 5 }: oauth.DeviceAuthorizationResponse,
  ask: TokenRequest,
): Promise<Login> {
  const { io } = options
  const deadline = io.now() + lifetime * 1_000
  for (let wait = interval; io.now() < deadline; ) {
    await io.sleep(wait * 1_000)
    try {
      return toLogin(await explained(io.signal, `The issuer ${options.profile.issuer}`, ask), io.now())
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.error === 'slow_down') wait += 5
      else if (error.error !== 'authorization_pending') throw error
    }
  }
  throw new NotLoggedIn('The code has expired. Run the command again.')
}

/** Ends the session of the refresh token at the issuer. An issuer without such an endpoint keeps it until it expires. */
export async function revoke(
  { profile, io, timeoutMs }: Omit<LogInOptions, 'say'>,
  { refresh_token: token }: Login,
): Promise<void> {
  if (token === undefined) return
  const { server, request } = await discoverIssuer({ issuer: profile.issuer, signal: io.signal, timeoutMs })
  if (!server.revocation_endpoint) return
  await explained(io.signal, `The issuer ${profile.issuer}`, async () => {
    const client = { client_id: profile.client_id }
    const response = await oauth.revocationRequest(server, client, oauth.None(), token, request())
    return oauth.processRevocationResponse(response)
  })
}

function parametersOf({ client_id, scope, resource }: LogInOptions['profile']): Record<string, string> {
  return { client_id, scope, ...(resource !== undefined && { resource }) }
}

function authorizationUrl({ server }: Issuer, parameters: Record<string, string>): string {
  const url = URL.parse(server.authorization_endpoint ?? '')
  if (!url) throw new NotLoggedIn(`The issuer ${server.issuer} has no authorization endpoint.`)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function waitFor<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const limit = AbortSignal.timeout(MAX_WAIT_MS)
  const either = AbortSignal.any([signal, limit])
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () =>
    reject(
      signal.aborted ? signal.reason : new NotLoggedIn('No login within ten minutes. Run the command again.'),
    )
  if (either.aborted) stop()
  either.addEventListener('abort', stop)
  return Promise.race([promise, aborted]).finally(() => either.removeEventListener('abort', stop))
}
