import type { Config } from './config.ts'
import { API_VERSION } from './contract/api-version.ts'
import type { Deps } from './deps.ts'
import { startTracing, type Tracing } from './platform/tracing/start.ts'

/** Traces this process under the name of its service, if TRACES_URL is set. */
export async function traceIfWanted(
  { tracing }: Pick<Config, 'tracing'>,
  name: string,
  { log, newId }: Pick<Deps, 'log' | 'newId'>,
): Promise<Tracing | undefined> {
  return tracing && startTracing(tracing, { name, version: API_VERSION, instanceId: newId() }, log)
}
