import {
  ErrorResponse,
  InMemoryWebStorage,
  type User,
  UserManager,
  WebStorageStateStore,
} from 'oidc-client-ts'

const CALLBACK = '/console/auth/callback'
const SIGNED_OUT = '/console/signed-out'
const START = '/console/agents'
/** Renew this long before the token expires, so that no request carries a token that ends on its way. */
const RENEW_BEFORE_S = 60
/** Errors of an issuer that can pass. After others only a new sign-in helps. */
const PASSING = ['temporarily_unavailable', 'server_error', 'slow_down']
/** In the storage of the tab: the page that the user wanted before the sign-in. */
const RETURN_TO = 'agent-console-return-to'

export interface Session {
  /** Completes a sign-in that the issuer has sent back. false: no user is signed in. */
  resume(): Promise<boolean>
  /** Leaves the page for the issuer and comes back to `returnTo`. */
  signIn(returnTo?: string): Promise<void>
  signOut(): Promise<void>
  /** A token that is valid for at least some seconds. Rejects with SessionEnded or SignInUnavailable. */
  token(): Promise<string>
  isSignedOutPage(): boolean
  /** true: only a new sign-in helps. false: the token could be renewed after all. */
  onEnded(listener: (ended: boolean) => void): () => void
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
  const endedListeners = new Set<(ended: boolean) => void>()
  const signOuts = new BroadcastChannel('agent-console-sign-out')
  let renewal: Promise<User> | undefined

  // A failed renewal must not end the session at once: the next request tries again.
  manager.events.addAccessTokenExpiring(() => void renew().catch(() => undefined))
  signOuts.addEventListener('message', ({ data }: MessageEvent<string>) => void followSignOut(data))

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
    tellEnded(false)
    return renewed
  }

  function tellEnded(ended: boolean): void {
    for (const listener of endedListeners) listener(ended)
  }

  function clearStorage(): void {
    sessionStorage.clear()
  }

  async function forgetUser(): Promise<void> {
    await manager.removeUser()
    // Drafts: the next user of this tab must not find them. This one can stay, to finish something that is not saved.
    addEventListener('pagehide', clearStorage, { once: true })
  }

  /** The same user has signed out in another tab. */
  async function followSignOut(sub: string): Promise<void> {
    if ((await manager.getUser())?.profile.sub !== sub) return
    await forgetUser()
    tellEnded(true)
    location.assign(SIGNED_OUT)
  }

  return {
    async resume() {
      if (location.pathname !== CALLBACK) return false
      const returnTo = sessionStorage.getItem(RETURN_TO) ?? START
      sessionStorage.removeItem(RETURN_TO)
      try {
        return (await manager.signinCallback()) !== undefined
      } finally {
        // A response of the issuer can be used once only: a reload must begin a new sign-in.
        history.replaceState(null, '', returnTo)
      }
    },
    async signIn(returnTo = location.pathname + location.search + location.hash) {
      removeEventListener('pagehide', clearStorage)
      sessionStorage.setItem(RETURN_TO, returnTo)
      await manager.signinRedirect()
    },
    async signOut() {
      const user = await manager.getUser()
      await forgetUser()
      if (user !== null) signOuts.postMessage(user.profile.sub)
      const idToken = user?.id_token
      // Without a page of the issuer for it, the user is signed out of the console only.
      if (idToken !== undefined)
        await manager.signoutRedirect({ id_token_hint: idToken }).catch(() => undefined)
      location.assign(SIGNED_OUT)
    },
    async token() {
      const user = await manager.getUser()
      if (user !== null && (user.expires_in ?? 0) > RENEW_BEFORE_S / 2) return user.access_token
      try {
        return (await renew()).access_token
      } catch (error) {
        // An issuer that does not answer is no end of the session while the token still holds.
        if (user !== null && (user.expires_in ?? 0) > 0) return user.access_token
        if (!isRefusal(error)) throw new SignInUnavailable(messageOf(error), { cause: error })
        tellEnded(true)
        throw new SessionEnded('The sign-in has ended.', { cause: error })
      }
    },
    isSignedOutPage: () => location.pathname === SIGNED_OUT,
    onEnded(listener) {
      endedListeners.add(listener)
      return () => endedListeners.delete(listener)
    },
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ErrorResponse) return !PASSING.includes(error.error ?? '')
  return error instanceof SessionEnded
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Only a new sign-in helps. */
export class SessionEnded extends Error {
  override name = 'SessionEnded'
}

/** The token has expired, and the issuer does not renew it at the moment. */
export class SignInUnavailable extends Error {
  override name = 'SignInUnavailable'
}

/** What GET /console/config.json tells a browser that is not signed in yet. */
interface WebConfig {
  issuer: string
  client_id: string
  scope: string
  /** Absent: the issuer needs no resource to choose the audience of the token. */
  resource?: string
}

class ConfigUnavailable extends Error {}

export async function readConfig(): Promise<WebConfig> {
  const response = await fetch('/console/config.json', { cache: 'no-store' })
  if (!response.ok) throw new ConfigUnavailable(`GET /console/config.json: ${response.status}`)
  return (await response.json()) as WebConfig
}
