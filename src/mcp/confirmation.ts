import { createHash } from 'node:crypto'
import { inputRequired } from '@modelcontextprotocol/server'
import { SecretText } from '../platform/secrets/secret-text.ts'
import type { Secrets } from '../platform/secrets/secrets.ts'
import type { Call } from './call.ts'

/** A tool that replaces values asks the user of a client that can ask. The state of the question travels through the client, so it
 * is sealed, and valid only for the same user, team, tool and arguments for a short time. It may be used twice: the change needs the
 * revision that it replaces, so that the second one is refused. */

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

export function createConfirmations({ secrets, now }: { secrets: Secrets; now: () => number }) {
  const placeOf = ({ caller }: Call) => ({ teamId: caller.teamId, agentId: '', field: 'mcp confirmation' })
  const nowSeconds = () => Math.floor(now() / 1_000)
  const stateOf = (call: Call): Omit<State, 'validUntil'> => ({
    user: call.caller.userId,
    tool: call.tool,
    arguments: createHash('sha256').update(JSON.stringify(call.arguments)).digest('base64'),
  })

  return {
    ask(call: Call, question: string) {
      const state: State = { ...stateOf(call), validUntil: nowSeconds() + VALID_SECONDS }
      const sealed = secrets.seal(placeOf(call), new SecretText(JSON.stringify(state)))
      return inputRequired({
        inputRequests: {
          [QUESTION]: inputRequired.elicit({ message: question, requestedSchema: CONFIRM_FORM }),
        },
        requestState: sealed.toString('base64url'),
      })
    },

    /** Throws for a state that is not of this call, or too old. */
    verify(sealed: string, call: Call): true {
      const opened = secrets.open(placeOf(call), Buffer.from(sealed, 'base64url'))
      const { validUntil, ...state } = JSON.parse(opened.reveal()) as State
      const expected = stateOf(call)
      const isSame = (Object.keys(expected) as (keyof typeof expected)[]).every(
        (name) => state[name] === expected[name],
      )
      if (!isSame || nowSeconds() > validUntil) throw new Error('The state belongs to another call')
      return true
    },
  }
}

export type Confirmations = ReturnType<typeof createConfirmations>
