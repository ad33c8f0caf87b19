import { randomUUID } from 'node:crypto'
import { CAMPAIGNS } from '../../story/attacks.ts'
import { type Fleet, idOf, storyId, timeOf } from '../../story/fleet.ts'
import { json } from '../answer.ts'
import { type Caller, type Demo, type DemoContext, found, nowSeconds, perTeam, Refusal } from '../exchange.ts'

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

/** Campaigns are kept, none is carried out: a planned one stays so until it is stopped. */
export function createRedTeam({ fleetOf }: DemoContext): Demo {
  const campaignsOf = perTeam(({ team }) => {
    const fleet = fleetOf(team)
    return new Map(fleet ? storyCampaigns(fleet).map((one) => [one.id, one]) : [])
  })
  const find = (caller: Caller, id: string) => found(campaignsOf(caller).get(id.toLowerCase()), 'campaign')

  return {
    refuse: ({ status, message, options: { headers, field } }) =>
      json(status, { error: { message, ...(field && { field }) } }, headers),

    routes: {
      'GET /v1/campaigns': ({ caller, query: { state } }) => {
        const own = [...campaignsOf(caller).values()].filter((one) => !state || one.state === state)
        return json(200, { results: own.toReversed().map(present) })
      },

      'POST /v1/campaigns': ({ caller, body: { name, technique, agent_ids } }) => {
        const made: Campaign = {
          id: randomUUID(),
          name,
          technique,
          agent_ids,
          state: 'planned',
          attempts: 0,
          created_at: nowSeconds(),
          findings: [],
        }
        campaignsOf(caller).set(made.id, made)
        return json(201, present(made), { location: `/v1/campaigns/${made.id}` })
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
