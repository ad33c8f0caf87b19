import { digest, idOf, readFleetFile, STORY_AGENTS, storyId, timeOf, uuidOf } from '../../story/fleet.ts'

const STATES = ['idle', 'proposing', 'evaluating', 'awaiting_approval'] as const
const VERDICTS = ['pending', 'accepted', 'rejected'] as const
const MUTATIONS = ['agent_system_prompt', 'agent_params.temperature', 'model_name', 'skills'] as const
const EPOCH = 1_750_000_000
const WEEK_SECONDS = 604_800

/** The same for the same agent, every time and everywhere: two answers can be compared, and no two agents'
 * answers can be mistaken for each other. */
export function proposalStatus(agentId: string): Record<string, unknown> {
  const seed = digest(agentId.toLowerCase())
  const updatedAt = EPOCH + (seed.readUInt32BE(0) % WEEK_SECONDS)
  return {
    agent_id: agentId,
    state: pick(STATES, seed, 4),
    generation: 1 + (seed.readUInt8(5) % 40),
    proposals: Array.from({ length: seed.readUInt8(6) % 4 }, (_, index) => {
      const own = digest(`${agentId.toLowerCase()}/${index}`)
      return {
        id: uuidOf(own),
        field: pick(MUTATIONS, own, 16),
        fitness: own.readUInt16BE(17) / 65_536,
        verdict: pick(VERDICTS, own, 19),
        created_at: updatedAt - (own.readUInt32BE(20) % WEEK_SECONDS),
      }
    }),
    updated_at: updatedAt,
  }
}

/** The evolution of an agent of the demonstration; undefined for any other. */
export function storyStatus(agentId: string, fleetFile: string): Record<string, unknown> | undefined {
  const fleet = readFleetFile(fleetFile)
  const agent = fleet && STORY_AGENTS.find(({ key }) => idOf(fleet, key) === agentId.toLowerCase())
  if (!fleet || !agent) return undefined
  const { state, generation, proposals } = agent.evolution
  const dated = proposals.map(({ daysAgo, ...proposal }, index) => {
    const name = `proposal/${agent.key}/${index}`
    return { id: storyId(fleet.team, name), ...proposal, created_at: timeOf(fleet.madeAt, daysAgo, name) }
  })
  const updatedAt = dated.at(-1)?.created_at ?? timeOf(fleet.madeAt, agent.createdDaysAgo, agent.key)
  return { agent_id: agentId, state, generation, proposals: dated, updated_at: updatedAt }
}

const pick = <T>(from: readonly T[], seed: Buffer, at: number): T | undefined =>
  from[seed.readUInt8(at) % from.length]
