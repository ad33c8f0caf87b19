import { randomUUID } from 'node:crypto'
import { json } from '../../evolution-service/answer.ts'
import { CAMPAIGNS } from '../../story/attacks.ts'
import { type Fleet, idOf, storyId, timeOf } from '../../story/fleet.ts'
import { type Caller, type Demo, type DemoContext, nowSeconds, Refusal, readObject } from '../exchange.ts'

interface Finding {
  id: string
  agent_id: string
  severity: 'low' | 'medium' | 'high'
  summary: string
  fixed: boolean
}

interface Campaign {
  id: string
  name: string
  technique: string
  agent_ids: string[]
  state: 'planned' | 'running' | 'completed' | 'stopped'
  attempts: number
  created_at: number
  findings: Finding[]
}

const TECHNIQUES = ['prompt_injection', 'jailbreak', 'data_exfiltration']
const STATES = ['planned', 'running', 'completed', 'stopped']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Campaigns are kept, none is carried out: a planned one stays so until it is stopped. */
export function createRedTeam({ fleetOf }: DemoContext): Demo {
  const campaigns = new Map<string, Map<string, Campaign>>()

  const ofTeam = ({ team }: Caller): Map<string, Campaign> => {
    const known = campaigns.get(team)
    if (known) return known
    const fleet = fleetOf(team)
    const own = new Map(fleet ? storyCampaigns(fleet).map((one) => [one.id, one]) : [])
    campaigns.set(team, own)
    return own
  }
  const find = (caller: Caller, id: string): Campaign => {
    const found = ofTeam(caller).get(id.toLowerCase())
    if (!found) throw new Refusal(404, 'There is no such campaign')
    return found
  }

  return {
    refuse: ({ status, message, headers, field }) =>
      json(status, { error: { message, ...(field && { field }) } }, headers),

    routes: {
      'GET /v1/campaigns': ({ caller, query }) => {
        const state = query.get('state')
        if (state !== null && !STATES.includes(state)) {
          throw new Refusal(422, `state must be one of ${STATES.join(', ')}`, { field: 'state' })
        }
        const own = [...ofTeam(caller).values()].filter((one) => state === null || one.state === state)
        return json(200, { results: own.toReversed().map(present) })
      },

      'POST /v1/campaigns': async ({ request, caller }) => {
        const wanted = checkCreate(await readObject(request))
        const id = randomUUID()
        const made: Campaign = {
          ...{ id, ...wanted, state: 'planned', attempts: 0 },
          ...{ created_at: nowSeconds(), findings: [] },
        }
        ofTeam(caller).set(id, made)
        return json(201, present(made), { location: `/v1/campaigns/${id}` })
      },

      'GET /v1/campaigns/{campaign_id}': ({ caller, param }) =>
        json(200, present(find(caller, param('campaign_id')))),

      'POST /v1/campaigns/{campaign_id}/stop': ({ caller, param }) => {
        const campaign = find(caller, param('campaign_id'))
        if (campaign.state === 'completed') throw new Refusal(409, 'The campaign is completed')
        campaign.state = 'stopped'
        return json(200, present(campaign))
      },

      'GET /v1/campaigns/{campaign_id}/findings': ({ caller, param }) =>
        json(200, { results: find(caller, param('campaign_id')).findings }),
    },
  }
}

function storyCampaigns(fleet: Fleet): Campaign[] {
  return CAMPAIGNS.map(({ key, targets, daysAgo, findings, ...campaign }) => ({
    ...campaign,
    id: storyId(fleet.team, `campaign/${key}`),
    agent_ids: targets.map((target) => idOf(fleet, target)),
    created_at: timeOf(fleet.madeAt, daysAgo, key),
    findings: findings.map(({ agent, isFixed, ...finding }, index) => ({
      ...finding,
      id: storyId(fleet.team, `finding/${key}/${index}`),
      agent_id: idOf(fleet, agent),
      fixed: isFixed,
    })),
  }))
}

const present = ({ findings, ...campaign }: Campaign) => ({
  ...campaign,
  open_findings: findings.filter(({ fixed }) => !fixed).length,
})

function checkCreate({ name, technique, agent_ids: agentIds }: Record<string, unknown>) {
  if (typeof name !== 'string' || name === '')
    throw new Refusal(422, 'name must be a text', { field: 'name' })
  if (typeof technique !== 'string' || !TECHNIQUES.includes(technique)) {
    throw new Refusal(422, `technique must be one of ${TECHNIQUES.join(', ')}`, { field: 'technique' })
  }
  const isId = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)
  if (!Array.isArray(agentIds) || agentIds.length === 0 || !agentIds.every(isId)) {
    throw new Refusal(422, 'agent_ids must be a list of one UUID or more', { field: 'agent_ids' })
  }
  return { name, technique, agent_ids: agentIds }
}
