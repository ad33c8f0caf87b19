import type { Environment } from '../platform/settings/environment.ts'
import { createReader } from '../platform/settings/reader.ts'
import { type EventsConfig, readEvents } from './events.ts'
import { readAllowedInsecure, refuseInsecure } from './insecure.ts'
import { type ProcessConfig, readProcess } from './process.ts'

/** For a process that only runs the relay. */
export interface RelayConfig extends ProcessConfig {
  readonly events: EventsConfig
}

export function readRelayConfig(environment: Environment): RelayConfig {
  const reader = createReader(environment)
  const config = { ...readProcess(reader), events: readEvents(reader, true) }
  refuseInsecure(reader, config, readAllowedInsecure(reader))
  return reader.finish(config)
}
