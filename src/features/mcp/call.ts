import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type AuthInfo,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputRequired,
} from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import type { Caller } from '../../api/caller.ts'
import type { Core } from '../../core.ts'
import { containsCredential } from '../../platform/crypto/credentials.ts'
import { SecretText } from '../../platform/crypto/secrets.ts'

/** What the console reads of a JSON-RPC message itself. The SDK validates the message. */
export interface Message {
  method: string
  /** Of the tool or prompt. */
  name: string
  arguments: unknown
  clientName: string | undefined
  /** Whether the client can ask its user. In revision 2025-11-25, only a session says so, and there are none. */
  canAskUser: boolean
}

/** One request to the MCP server. */
export interface Call extends Pick<Message, 'arguments' | 'canAskUser'> {
  caller: Caller
  /** Of a call of a tool; empty for other methods. */
  tool: string
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

export function readMessage(body: unknown): Message {
  const { method, params } = asObject(body)
  const { name, arguments: given, _meta: meta } = asObject(params)
  const { name: clientName } = asObject(asObject(meta)[CLIENT_INFO_META_KEY])
  const { elicitation } = asObject(asObject(meta)[CLIENT_CAPABILITIES_META_KEY])
  return {
    method: asText(method),
    name: asText(name),
    arguments: given,
    clientName: showClientName(asText(clientName)),
    canAskUser: hasForms(elicitation),
  }
}

/** A client that names no mode has forms. */
function hasForms(elicitation: unknown): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false
  return !('url' in elicitation) || 'form' in elicitation
}

const MAX_CLIENT_NAME_LENGTH = 100

/** The audit log shows the name, and the client chose it. */
function showClientName(name: string): string | undefined {
  const shown = name
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '')
    .trim()
    .slice(0, MAX_CLIENT_NAME_LENGTH)
    .toWellFormed()
  return shown === '' || containsCredential(shown) ? undefined : shown
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A tool that replaces values asks the user of a client that can ask. The state of the question travels through the
 * client, so it is sealed, and valid only for the same user, team, tool and arguments for a short time. It may be used
 * twice: the change needs the revision that it replaces, so that the second one is refused. */

/** Time for a person to read and decide. */
const VALID_SECONDS = 600

/** The name of the question in `inputRequests`. */
export const QUESTION = 'confirm'

const CONFIRM_FORM = {
  type: 'object' as const,
  properties: { confirm: { type: 'boolean' as const, title: 'Make this change', default: false } },
  required: ['confirm'],
}

interface State {
  user: string
  tool: string
  arguments: string
  /** Unix time in seconds. */
  validUntil: number
}

/** Asks the user before the change. */
export function askUser({ secrets, now }: Core, call: Call, question: string) {
  const state: State = { ...stateOf(call), validUntil: Math.floor(now() / 1_000) + VALID_SECONDS }
  const sealed = secrets.seal(placeOf(call), new SecretText(JSON.stringify(state)))
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({ message: question, requestedSchema: CONFIRM_FORM }),
    },
    requestState: sealed.toString('base64url'),
  })
}

/** Throws for a state that is not of this call, or too old. */
export function verifyState({ secrets, now }: Core, sealed: string, call: Call): true {
  const opened = secrets.open(placeOf(call), Buffer.from(sealed, 'base64url'))
  const { validUntil, ...state } = JSON.parse(opened.reveal()) as State
  const isSame = isDeepStrictEqual(state, stateOf(call))
  if (!isSame || Math.floor(now() / 1_000) > validUntil) throw new Error('The state belongs to another call')
  return true
}

const placeOf = ({ caller }: Call) => ({ teamId: caller.teamId, agentId: '', field: 'mcp confirmation' })

const stateOf = (call: Call): Omit<State, 'validUntil'> => ({
  user: call.caller.userId,
  tool: call.tool,
  arguments: createHash('sha256').update(JSON.stringify(call.arguments)).digest('base64'),
})
