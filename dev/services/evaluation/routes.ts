import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { json } from '../../evolution-service/answer.ts'
import { evaluationsOf, idOf, STORY_AGENTS } from '../../story/fleet.ts'
import { type Caller, type Demo, type DemoContext, nowSeconds, Refusal, readObject } from '../exchange.ts'
import { download } from './download.ts'
import { createReports, type Report, type StoredReport } from './reports.ts'

interface Evaluation {
  id: string
  team: string
  agent: { agent_id: string; revision: number }
  harness: string
  callbackUrl: string | undefined
  report: StoredReport | undefined
  createdAt: number
}

const HARNESSES = ['security', 'safety', 'reliability']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An evaluation waits for its report, a file of any size, and is complete with it. */
export async function createEvaluation({ fleetOf, folder }: DemoContext): Promise<Demo> {
  const evaluations = new Map<string, Evaluation>()
  const reports = await createReports(folder)
  const teamsToldOf = new Set<string>()

  /** The evaluations that the story tells of, with their reports, at the first request of its team. */
  const addStory = async (team: string): Promise<void> => {
    const fleet = fleetOf(team)
    if (fleet === undefined || teamsToldOf.has(team)) return
    teamsToldOf.add(team)
    const told = STORY_AGENTS.flatMap((agent) =>
      evaluationsOf(team, fleet.madeAt, agent).map((one) => ({ ...one, agentId: idOf(fleet, agent.key) })),
    )
    for (const one of told.toSorted((a, b) => a.completedAt - b.completedAt)) {
      const { id, agentId: agent_id, revision, harness, completedAt } = one
      const report = await reports.store(Readable.from([Buffer.from(`${one.report}\n`)]))
      evaluations.set(id, {
        ...{ id, team, agent: { agent_id, revision }, harness, callbackUrl: undefined },
        report: report && { ...report, uploaded_at: completedAt },
        createdAt: completedAt - 1_800,
      })
    }
  }

  const find = async ({ team }: Caller, id: string): Promise<Evaluation> => {
    await addStory(team)
    const found = evaluations.get(id)
    if (found?.team !== team) throw new Refusal(404, 'There is no such evaluation')
    return found
  }

  return {
    refuse: ({ status, message, headers }) => json(status, { reason: message }, headers),
    close: reports.close,

    routes: {
      'GET /v1/evaluations': async ({ caller }) => {
        await addStory(caller.team)
        const own = [...evaluations.values()].filter(({ team }) => team === caller.team)
        return json(200, { results: own.toReversed().map(present) })
      },

      'POST /v1/evaluations': async ({ request, caller }) => {
        const wanted = checkCreate(await readObject(request))
        const id = randomUUID()
        const made = { id, team: caller.team, ...wanted, report: undefined, createdAt: nowSeconds() }
        evaluations.set(id, made)
        return json(201, present(made), { location: `/v1/evaluations/${id}` })
      },

      'POST /v1/evaluations/probes': ({ query }) => {
        const id = query.get('agent_id') ?? ''
        if (!UUID.test(id)) throw new Refusal(422, 'agent_id must be a UUID')
        return json(200, { agent_id: id, answered: true })
      },

      'GET /v1/evaluations/{evaluation_id}': async ({ caller, param }) =>
        json(200, present(await find(caller, param('evaluation_id')))),

      'PUT /v1/evaluations/{evaluation_id}/report': async ({ request, caller, param }) => {
        const evaluation = await find(caller, param('evaluation_id'))
        const stored = await reports.store(request)
        if (!stored) return undefined
        const { report: former, callbackUrl } = evaluation
        evaluation.report = stored
        if (former) await reports.remove(former)
        else if (callbackUrl) void tell(callbackUrl, present(evaluation))
        return json(200, presentReport(stored))
      },

      'GET /v1/evaluations/{evaluation_id}/report': async (exchange) => {
        const { report } = await find(exchange.caller, exchange.param('evaluation_id'))
        if (!report) throw new Refusal(404, 'The evaluation has no report yet')
        await download(reports, report, exchange)
        return undefined
      },
    },
  }
}

const present = ({ id, agent, harness, report, createdAt }: Evaluation) => ({
  ...{ id, agent, harness },
  state: report ? 'completed' : 'waiting',
  report: report ? presentReport(report) : null,
  created_at: createdAt,
})

const presentReport = ({ size, sha256, uploaded_at }: Report): Report => ({ size, sha256, uploaded_at })

/** Once, as its document says: whoever does not listen asks. */
async function tell(url: string, evaluation: object): Promise<void> {
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(evaluation),
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined)
}

function checkCreate({ agent, harness, callback_url: callbackUrl }: Record<string, unknown>) {
  const { agent_id, revision } = (agent ?? {}) as Record<string, unknown>
  if (typeof agent_id !== 'string' || !UUID.test(agent_id)) {
    throw new Refusal(422, 'agent.agent_id must be a UUID')
  }
  if (!Number.isSafeInteger(revision) || Number(revision) < 1) {
    throw new Refusal(422, 'agent.revision must be a whole number of at least 1')
  }
  if (typeof harness !== 'string' || !HARNESSES.includes(harness)) {
    throw new Refusal(422, `harness must be one of ${HARNESSES.join(', ')}`)
  }
  if (callbackUrl !== undefined && !(typeof callbackUrl === 'string' && URL.canParse(callbackUrl))) {
    throw new Refusal(422, 'callback_url must be a URL')
  }
  return { agent: { agent_id, revision: Number(revision) }, harness, callbackUrl }
}
