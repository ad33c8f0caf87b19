import { Console } from '@agent-console/sdk'
import type { Session } from '../auth/session.ts'

let client: Console | undefined

/** Called once, after sign-in. */
export function connect(session: Session): void {
  client = new Console({ baseUrl: location.origin, token: () => session.token() })
}

/** The one client of the page. */
export function api(): Console {
  if (client === undefined) throw new Error('connect() must come first')
  return client
}
