import type { Agent } from '../../src/agent/schema.ts'
import type { Flock } from './canaries.ts'
import type { Reply, RequestOptions, TestConsole } from './console.ts'
import type { PrivatePostgres } from './private-postgres.ts'

export interface Scene {
  flock: Flock
  postgres: PrivatePostgres
  running: TestConsole
  token: string
  leaks: string[]
  /** Sends a request and looks through the whole answer for any canary but those it may show. */
  send: (
    name: string,
    method: string,
    path: string,
    options?: RequestOptions,
    may?: string[],
  ) => Promise<Reply<Agent>>
}
