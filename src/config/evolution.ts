import { parseInteger, parsePlainUrl } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'

export interface EvolutionConfig {
  readonly url: string
  readonly deadlineMs: number
  readonly maxResponseBytes: number
  readonly maxInFlight: number
}

export function readEvolution({ read, isSet }: Reader): EvolutionConfig | undefined {
  if (!isSet('EVOLUTION_URL')) return undefined
  return {
    url: read('EVOLUTION_URL', parsePlainUrl),
    deadlineMs: read('EVOLUTION_DEADLINE_MS', (text) => parseInteger(text, 1, 60_000), 5_000),
    maxResponseBytes: 1024 * 1024,
    maxInFlight: 256,
  }
}
