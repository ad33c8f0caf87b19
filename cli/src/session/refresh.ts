import * as oauth from 'oauth4webapi'
import { NotLoggedIn } from '../failure.ts'
import type { Io } from '../io.ts'
import { discoverIssuer, explained, isUsable, Refused, toLogin } from './issuer.ts'
import { withLock } from './lock.ts'
import { loginCommand } from './login-command.ts'
import type { Profile } from './profiles.ts'
import type { Login, LoginStore } from './stored-login.ts'

export interface RefreshOptions {
  name: string
  profile: Profile
  store: LoginStore
  lockPath: string
  io: Pick<Io, 'now' | 'signal'>
  timeoutMs: number
}

/** A login whose access token can be used. Only one process refreshes it, the others read what that one has stored. */
export async function currentLogin(options: RefreshOptions): Promise<Login> {
  const { name, profile, store, lockPath, io } = options
  // Another process may be writing: only a read under the lock says that there is no login, or a damaged one.
  const stored = await store.read().catch(() => undefined)
  if (stored && isUsable(stored, io.now())) return stored
  return withLock(lockPath, io.signal, async () => {
    const newest = await store.read()
    if (!newest) {
      const command = loginCommand(name, profile.storage)
      throw new NotLoggedIn(`The profile ${name} has no login for ${profile.url}. Run: ${command}`)
    }
    return isUsable(newest, io.now()) ? newest : refresh(options, newest)
  })
}

async function refresh(options: RefreshOptions, login: Login): Promise<Login> {
  const { profile, store, io, timeoutMs } = options
  const { refresh_token: token } = login
  if (token === undefined) throw ended(options, 'The issuer gave no refresh token.')
  const { server, request } = await discoverIssuer({ issuer: profile.issuer, signal: io.signal, timeoutMs })
  const client = { client_id: profile.client_id }
  const additionalParameters: Record<string, string> = profile.resource ? { resource: profile.resource } : {}
  try {
    const refreshed = await explained(io.signal, `The issuer ${profile.issuer}`, async () => {
      const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, {
        ...request(),
        // Not ended by Ctrl-C: the issuer may have replaced the refresh token, and the new one must be stored.
        signal: AbortSignal.timeout(timeoutMs),
        additionalParameters,
      })
      return oauth.processRefreshTokenResponse(server, client, response)
    })
    const next = toLogin(refreshed, io.now(), login)
    await store.write(next)
    io.signal.throwIfAborted()
    return next
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // A login that another process has replaced meanwhile is not over.
    const other = await store.read()
    if (other && other.refresh_token !== token && isUsable(other, io.now())) return other
    throw error.error === 'invalid_grant' ? ended(options, error.message) : error
  }
}

const ended = ({ name, profile }: RefreshOptions, reason: string) =>
  new NotLoggedIn(
    `The login of the profile ${name} has ended. ${reason} Run: ${loginCommand(name, profile.storage)}`,
  )
