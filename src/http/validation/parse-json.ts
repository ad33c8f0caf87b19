import { RequestValidationError } from '../../contract/validation-error.ts'
import { findJsonSyntaxError } from '../../platform/json-syntax.ts'
import { type Scan, type ScanOptions, scanJson } from './json-scanner.ts'

const MAX_DEPTH = 64
/** Each violation contains a path of up to 64 names. */
const MAX_VIOLATIONS = 100

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export interface JsonBody extends Pick<Scan, 'violations' | 'numbers'> {
  readonly value: unknown
}

export function parseJsonBody(bytes: Buffer, isKnown: ScanOptions['isKnown']): JsonBody {
  const text = decode(bytes)
  // Before JSON.parse, so that a deeply nested body is never parsed.
  const scan = scanJson(text, { isKnown, maxDepth: MAX_DEPTH, maxViolations: MAX_VIOLATIONS })
  if (scan.isTooDeep) throw notJson(findJsonSyntaxError(text, MAX_DEPTH) ?? 0)
  try {
    return { ...scan, value: JSON.parse(text) as unknown }
  } catch {
    throw notJson(findJsonSyntaxError(text, MAX_DEPTH) ?? 0)
  }
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notJson(0)
  }
}

function notJson(position: number): RequestValidationError {
  return new RequestValidationError([
    { loc: ['body', position], msg: 'JSON decode error', type: 'json_invalid' },
  ])
}
