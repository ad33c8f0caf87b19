import { createContext, useContext } from 'react'
import { PERMISSIONS, words } from '../shared/words.ts'
import type { Session } from './session.ts'

export type Permission =
  | 'agent:read'
  | 'agent:write'
  | 'agent:lifecycle'
  | 'agent:secret'
  | 'agent:delete'
  | 'evaluation:write'
  | 'audit:read'
  | 'service:read'

/** Answer of GET /v1/me: only the server knows what a token allows. */
export interface Me {
  user_id: string
  team_id: string
  name: string | null
  permissions: readonly string[]
}

export const MeContext = createContext<Me | undefined>(undefined)

export function useMe(): Me {
  const me = useContext(MeContext)
  if (me === undefined) throw new Error('useMe() needs a signed-in user')
  return me
}

export function useMay(permission: Permission): boolean {
  return useMe().permissions.includes(permission)
}

/** false: allowed. Otherwise the reason for an `off` property: it names the missing permission. */
export function useOff(permission: Permission): string | false {
  return useMay(permission) ? false : `Needs the permission ${permission} (${words(PERMISSIONS, permission)})`
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('useSession() needs a session')
  return session
}
