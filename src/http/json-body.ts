import { RequestInvalid } from '../contract/validation-error.ts'
import { findJsonFault } from '../platform/json-fault.ts'
import { type Scan, type ScanOptions, scanJson } from './json-scan.ts'

const MAX_DEPTH = 64
/** Each repeats the names above it, as many as 64. */
const MAX_FINDINGS = 100

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What a body says, and what is in it that may not be stored. */
export interface JsonBody extends Pick<Scan, 'findings' | 'numbers'> {
  readonly value: unknown
}

export function readJsonBody(bytes: Buffer, isWanted: ScanOptions['isWanted']): JsonBody {
  const text = decode(bytes)
  // Before the parser, so that nothing recurses deeper than this on a caller's behalf.
  const scan = scanJson(text, { isWanted, maxDepth: MAX_DEPTH, maxFindings: MAX_FINDINGS })
  if (scan.isTooDeep) throw notJson(findJsonFault(text, MAX_DEPTH) ?? 0)
  try {
    return { ...scan, value: JSON.parse(text) as unknown }
  } catch {
    throw notJson(findJsonFault(text, MAX_DEPTH) ?? 0)
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
