import { Failure } from '../failure.ts'

/** The tokens of a user. */
export interface Login {
  access_token: string
  /** Absent: the issuer gives none, and the login ends with the access token. */
  refresh_token?: string
  /** Unix time in seconds. */
  expires_at: number
}

export interface LoginStore {
  /** Undefined: there is no login. */
  read: () => Promise<Login | undefined>
  write: (login: Login) => Promise<void>
  remove: () => Promise<void>
}

export function checkLogin(value: unknown, where: string): Login | undefined {
  if (value === undefined) return undefined
  const { access_token: token, expires_at: end } = Object(value) as Partial<Login>
  if (typeof token !== 'string' || typeof end !== 'number') {
    throw new Failure(`${where} holds no valid login. Run: agent-console login`)
  }
  return value as Login
}
