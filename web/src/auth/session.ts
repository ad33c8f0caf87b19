import { InMemoryWebStorage, type User, UserManager, WebStorageStateStore } from 'oidc-client-ts'
import type { WebConfig } from './config.ts'

const CALLBACK = '/console/auth/callback'
const SIGNED_OUT = '/console/signed-out'
const START = '/console/agents'
/** Renew this long before the token expires, so that no request carries a token that ends on its way. */
const RENEW_BEFORE_S = 60

export class SessionEnded extends Error {
  override name = 'SessionEnded'
}

export interface Session {
  /** Completes a sign-in that the issuer has sent back. false: no user is signed in. */
  resume(): Promise<boolean>
  /** Leaves the page for the issuer and comes back to `returnTo`. */
  signIn(returnTo?: string): Promise<void>
  signOut(): Promise<void>
  /** A token that is valid for at least some seconds. Rejects with SessionEnded when only a new sign-in helps. */
  token(): Promise<string>
  isSignedOutPage(): boolean
  onEnded(listener: () => void): () => void
}

/** Tokens live in memory only: a reload goes through the issuer, and nothing of value is in storage. */
export function createSession(config: WebConfig): Session {
  const manager = new UserManager({
    authority: config.issuer,
    client_id: config.client_id,
    scope: config.scope,
    ...(config.resource === undefined ? {} : { resource: config.resource }),
    redirect_uri: new URL(CALLBACK, location.origin).href,
    post_logout_redirect_uri: new URL(SIGNED_OUT, location.origin).href,
    userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
    accessTokenExpiringNotificationTimeInSeconds: RENEW_BEFORE_S,
    automaticSilentRenew: false,
    loadUserInfo: false,
  })
  const ended = new Set<() => void>()
  let renewal: Promise<User> | undefined

  // A failed renewal must not end the session at once: the next request tries again.
  manager.events.addAccessTokenExpiring(() => void renew().catch(() => undefined))

  function renew(): Promise<User> {
    renewal ??= refresh().finally(() => {
      renewal = undefined
    })
    return renewal
  }

  async function refresh(): Promise<User> {
    const user = await manager.getUser()
    // Without a refresh token the library would open a frame, which the policy of the page refuses.
    const renewed = user?.refresh_token === undefined ? null : await manager.signinSilent()
    if (renewed === null) throw new SessionEnded('The sign-in has ended.')
    return renewed
  }

  function end(): never {
    for (const listener of ended) listener()
    throw new SessionEnded('The sign-in has ended.')
  }

  return {
    async resume() {
      if (location.pathname !== CALLBACK) return false
      const user = await manager.signinCallback()
      history.replaceState(null, '', returnTarget(user?.state))
      return user !== undefined
    },
    async signIn(returnTo = location.pathname + location.search + location.hash) {
      await manager.signinRedirect({ state: { returnTo } })
    },
    async signOut() {
      const idToken = (await manager.getUser())?.id_token
      await manager.removeUser()
      // Drafts: the next user of this tab must not find them.
      sessionStorage.clear()
      if (idToken === undefined) location.assign(SIGNED_OUT)
      else await manager.signoutRedirect({ id_token_hint: idToken })
    },
    async token() {
      const user = await manager.getUser()
      if (user !== null && (user.expires_in ?? 0) > RENEW_BEFORE_S / 2) return user.access_token
      try {
        return (await renew()).access_token
      } catch (error) {
        // An issuer that does not answer is no end of the session while the token still holds.
        if (user !== null && (user.expires_in ?? 0) > 0) return user.access_token
        if (isRefusal(error)) return end()
        throw error
      }
    },
    isSignedOutPage: () => location.pathname === SIGNED_OUT,
    onEnded(listener) {
      ended.add(listener)
      return () => ended.delete(listener)
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof SessionEnded || (error instanceof Error && error.name === 'ErrorResponse')
}

/** Only a path of the console: the state could be forged to lead to another site. */
function returnTarget(state: unknown): string {
  const target = (state as { returnTo?: unknown } | undefined)?.returnTo
  return typeof target === 'string' && target.startsWith('/console/') ? target : START
}
