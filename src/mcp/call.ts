import type { AuthInfo } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { Lane } from '../platform/fairness/lanes.ts'
import type { Caller } from '../platform/identity/identity.ts'

/** One request to the MCP server. */
export interface Call {
  caller: Caller
  /** Of a call of a tool; empty for other methods. */
  tool: string
  arguments: unknown
  /** Whether the client can ask its user. Revision 2025-11-25 says that only when a session begins, and there are none. */
  canAskUser: boolean
  /** Runs work at a place at the database. `key`: the agent that a write changes. */
  withPlace: <Result>(lane: Lane, key: string | undefined, work: () => Promise<Result>) => Promise<Result>
  /** Records in the audit log that the caller lacks a permission. */
  recordRefusal: (permission: string, agentId: string | null) => Promise<void>
  log: Pick<Logger, 'error'>
}

/** How the SDK hands a call to the functions that it runs. It never gets the token. */
export function toAuthInfo(call: Call) {
  return { token: '', clientId: call.caller.clientId ?? '', scopes: [], extra: { call } }
}

/** Of the context that the SDK passes to them. */
export function callOf({ http }: { http?: { authInfo?: AuthInfo | undefined } }): Call {
  const call = http?.authInfo?.extra?.['call']
  if (call === undefined) throw new Error('The SDK has lost the call')
  return call as Call
}
