import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { CUSTOMER_AGENTS } from './agents/customers.ts'
import { FINANCE_AGENTS } from './agents/finance.ts'
import { OPERATIONS_AGENTS } from './agents/operations.ts'
import type { PersonKey, StoryAgent, StoryEvaluation } from './story.ts'

export const STORY_AGENTS: StoryAgent[] = [...CUSTOMER_AGENTS, ...FINANCE_AGENTS, ...OPERATIONS_AGENTS]

/** Where the agents of the story are in a console: their ids by their keys. */
export interface Fleet {
  team: string
  /** The user of the printed token. */
  user: string
  /** When the fleet was made, Unix seconds: the days of the story are counted back from here. */
  madeAt: number
  ids: Record<string, string>
}

/** The fleet of a team; undefined for a team without the story. */
export type FindFleet = (team: string) => Fleet | undefined

/** Read at each call: the fleet is made after the services have started. */
export function fleetOfFile(path = ''): FindFleet {
  return (team) => {
    const fleet = readFleetFile(path)
    return fleet?.team === team ? fleet : undefined
  }
}

export function readFleetFile(path: string): Fleet | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Fleet
  } catch {
    return undefined
  }
}

export const idOf = ({ ids }: Fleet, key: string): string => ids[key] as string

/** The time of something that happened so many days ago, at an hour that differs from one thing to the next. */
export function timeOf(madeAt: number, daysAgo: number, what: string): number {
  const workday = 8 * 3_600
  return madeAt - Math.round(daysAgo * 86_400) - (digest(what).readUInt32BE(0) % workday)
}

/** The same for the same team and name. */
export const storyId = (team: string, name: string): string => uuidOf(digest(`${team}/${name}`))

/** Version 8: RFC 9562 leaves its bits to the application, here a digest. */
export function uuidOf(seed: Buffer): string {
  const bytes = Buffer.from(seed.subarray(0, 16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

export interface PlacedEvaluation extends StoryEvaluation {
  id: string
  /** The revision of the agent that was evaluated. */
  revision: number
  completedAt: number
}

/** The evaluations of an agent, oldest first. */
export function evaluationsOf(team: string, madeAt: number, agent: StoryAgent): PlacedEvaluation[] {
  let revision = 1
  return agent.events.flatMap((event, index) => {
    if (!('harness' in event)) {
      revision += 1
      return []
    }
    const name = `evaluation/${agent.key}/${index}`
    return [{ ...event, revision, id: storyId(team, name), completedAt: timeOf(madeAt, event.daysAgo, name) }]
  })
}

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** The user id of a person. `you` is the user of the printed token. */
export const userOf = ({ team, user }: Pick<Fleet, 'team' | 'user'>, key: PersonKey): string =>
  key === 'you' ? user : storyId(team, `person/${key}`)
