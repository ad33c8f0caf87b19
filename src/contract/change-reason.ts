import { Type } from 'typebox'

export const REASON_HEADER = 'console-change-reason'

export const MAX_REASON_LENGTH = 500

/** The header of every operation of the console that changes something. `src/http/change-reason.ts` reads it. */
export const ChangeReasonHeader = Type.Optional(
  Type.String({
    description:
      'Why the caller makes the change, at most 500 characters after decoding, in UTF-8 or percent-encoded; write `%` as `%25`. ' +
      'Control characters, and what looks like a credential, get 422. The revision, the event and the audit log show it, to ' +
      'readers of agents and subscribers. Default: no reason.',
  }),
)
