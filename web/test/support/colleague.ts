import { randomUUID } from 'node:crypto'
import { Console } from '@agent-console/sdk'
import { EXAMPLE } from '../../../dev/issuer/people.ts'
import type { World } from './world.ts'

/** Another user of the same team, who works beside the browser. */
export function colleague(world: World): Console {
  const user = randomUUID()
  return new Console({
    baseUrl: world.url,
    token: () => world.running.issuer.token({ user, team: EXAMPLE.team }),
  })
}

/** The id of an agent of the demonstration. */
export function agentId(world: World, key: string): string {
  const id = world.agents[key]
  if (id === undefined) throw new Error(`There is no agent ${key}`)
  return id
}
