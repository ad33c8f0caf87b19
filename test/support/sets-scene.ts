import type { AgentDriftPage, ManagedAgentPage, ManagedAgentResult } from '../../src/features/sets/schema.ts'
import type { Person, Reply, RequestOptions, TestConsole } from './console.ts'

export const SETS = '/v1/configuration-sets'

/** A person that works with one configuration set. */
export function useSet(running: TestConsole, person: Person, set: string) {
  const send = <Body>(method: string, path: string, options: RequestOptions = {}): Promise<Reply<Body>> =>
    running.request(method, `${SETS}/${set}/${path}`, { token: person.token, ...options })
  return {
    apply: (key: string, json: object, headers: Record<string, string> = {}) =>
      send<ManagedAgentResult>('PUT', `agents/${key}`, { json, headers }),
    plan: (key: string, json: object, headers: Record<string, string> = {}) =>
      send<ManagedAgentResult>('PUT', `agents/${key}?dry_run=true`, { json, headers }),
    release: (key: string) => send('DELETE', `agents/${key}`),
    agents: async (query = '') => (await send<ManagedAgentPage>('GET', `agents${query}`)).body,
    drift: async (query = '') => (await send<AgentDriftPage>('GET', `drift${query}`)).body,
  }
}
