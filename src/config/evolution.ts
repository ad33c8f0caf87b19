import { parseInteger, parsePlainUrl, parseSwitch } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'
import { isUnencrypted } from '../platform/settings/unencrypted.ts'

export interface EvolutionConfig {
  readonly url: string
  readonly deadlineMs: number
  readonly maxResponseBytes: number
  readonly maxInFlight: number
}

export function readEvolution({ read, isSet }: Reader): EvolutionConfig | undefined {
  if (!isSet('EVOLUTION_URL')) return undefined
  return {
    url: read('EVOLUTION_URL', (text) =>
      parseUpstreamUrl(text, read('EVOLUTION_INSECURE_HTTP', parseSwitch, false)),
    ),
    deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => parseInteger(text, 1, 60_000), 5_000),
    maxResponseBytes: 1024 * 1024,
    maxInFlight: read('EVOLUTION_MAX_IN_FLIGHT', (text) => parseInteger(text, 1, 4_096), 256),
  }
}

function parseUpstreamUrl(text: string, isInsecure: boolean): string {
  parsePlainUrl(text)
  if (!isInsecure && isUnencrypted(text)) {
    throw new Error(
      'is http:// to another machine, which lets the network read and change requests with their tokens; use https://, or ' +
        'set EVOLUTION_INSECURE_HTTP=on if you trust the network',
    )
  }
  return text
}
