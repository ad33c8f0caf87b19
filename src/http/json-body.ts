import { RequestInvalid } from '../contract/validation-error.ts'
import { findJsonFault } from './json-position.ts'
import { type Finding, scanJson } from './json-scan.ts'

export const MAX_DEPTH = 64
const MAX_FINDINGS = 1_000

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A body as it came: its bytes, for whoever passes them on, and its value, for whoever reads it. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** `undefined` when its media type says that it is not JSON. */
  readonly value: unknown
  /** What is in it that may not be stored, should anybody want to. */
  readonly findings: readonly Finding[]
}

export function readJsonBody(bytes: Buffer): ReceivedBody {
  const text = decode(bytes)
  // Before the parser, so that nothing recurses deeper than this on a caller's behalf.
  const { tooDeepAt, findings } = scanJson(text, MAX_DEPTH, MAX_FINDINGS)
  if (tooDeepAt !== -1) throw notJson(tooDeepAt)
  try {
    return { bytes, value: JSON.parse(text) as unknown, findings }
  } catch {
    throw notJson(findJsonFault(text))
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson(0)
  }
}

function notJson(position: number): RequestInvalid {
  return new RequestInvalid([{ loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' }])
}
