import { randomUUID } from 'node:crypto'
import type { Person, TestConsole } from '../../../test/support/console.ts'
import { namedPerson } from '../../../test/support/named-person.ts'
import { until } from '../../../test/support/until.ts'
import { type AuditEvent, type CallOptions, Console } from '../../src/index.ts'

/** What a call works on: a team of its own, so that its changes can be counted. */
export interface Scene {
  running: TestConsole
  person: Person
  /** An agent with three revisions and a named secret, at revision 4. */
  id: string
  name: string
}

export interface Operation {
  /** Prepares the scene further. */
  prepare?: (scene: Scene) => Promise<unknown>
  call: (console: Console, scene: Scene, options: CallOptions) => Promise<unknown>
  /** Whether the SDK repeats it. */
  isRepeated: boolean
  /** The changes that the console has made for the scene. Absent: the operation changes nothing. */
  count?: (scene: Scene) => Promise<number>
}

export const REVISION = 4

/** Without the proxy. It repeats more: a busy machine must not decide the test. */
export const direct = ({ running, person: { token } }: Pick<Scene, 'running' | 'person'>) =>
  new Console({ baseUrl: running.url, token, maxRetries: 20 })

export async function createScene(running: TestConsole): Promise<Scene> {
  const name = `agent-${randomUUID()}`
  const person = await namedPerson(running, { name: 'Ada' })
  const { agents } = direct({ running, person })
  const { agent } = await agents.create({
    ...{ agent_name: name, model_name: 'm', agent_url: 'https://example.com/1', hub: 'h' },
  })
  await agents.update(agent.id, { agent_url: 'https://example.com/2' }, { ifRevision: 1 })
  await agents.update(agent.id, { agent_url: 'https://example.com/3' }, { ifRevision: 2 })
  await agents.updateSecret(agent.id, 'key', 'a secret value of the test', { ifRevision: 3 })
  return { running, person, id: agent.id, name }
}

/** The console stores the name of a user after the response. */
export function nameIsStored(scene: Scene): Promise<void> {
  return until('the name is stored', async () => {
    const { results } = await direct(scene).users.list([scene.person.user])
    return results[0]?.name === 'Ada'
  })
}

/** The audit log has one record for each change, written in the same transaction. */
export function audited(action: AuditEvent['action']): (scene: Scene) => Promise<number> {
  return async (scene) => (await direct(scene).audit.list({ action })).results.length
}

export const read = (call: Operation['call']): Operation => ({ call, isRepeated: true })
