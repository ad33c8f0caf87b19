import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { evaluationsOf, idOf, STORY_AGENTS } from '../../story/fleet.ts'
import { json } from '../answer.ts'
import { type Caller, type Demo, type DemoContext, found, nowSeconds, perTeam, Refusal } from '../exchange.ts'
import { download } from './download.ts'
import { createReports, type Report, type StoredReport } from './reports.ts'

interface Evaluation {
  id: string
  agent: { agent_id: string; revision: number }
  harness: string
  callbackUrl?: string
  report?: StoredReport | undefined
  createdAt: number
}

/** An evaluation waits for its report, a file of any size, and is complete with it. */
export async function createEvaluation({ fleetOf, folder }: DemoContext): Promise<Demo> {
  const reports = await createReports(folder)

  /** At first the evaluations that the story tells of, with their reports. */
  const ofTeam = perTeam(async ({ team }) => {
    const own = new Map<string, Evaluation>()
    const fleet = fleetOf(team)
    if (!fleet) return own
    const told = STORY_AGENTS.flatMap((agent) =>
      evaluationsOf(team, fleet.madeAt, agent).map((one) => ({ ...one, agentId: idOf(fleet, agent.key) })),
    )
    for (const one of told.toSorted((a, b) => a.completedAt - b.completedAt)) {
      const { id, agentId: agent_id, revision, harness, completedAt } = one
      const report = await reports.store(Readable.from([Buffer.from(`${one.report}\n`)]))
      own.set(id, {
        id,
        agent: { agent_id, revision },
        harness,
        report: report && { ...report, uploaded_at: completedAt },
        createdAt: completedAt - 1_800,
      })
    }
    return own
  })
  const find = async (caller: Caller, id: string) => found((await ofTeam(caller)).get(id), 'evaluation')

  return {
    refuse: ({ status, message, options: { headers } }) => json(status, { reason: message }, headers),
    close: reports.close,

    routes: {
      'GET /v1/evaluations': async ({ caller }) =>
        json(200, { results: [...(await ofTeam(caller)).values()].toReversed().map(present) }),

      'POST /v1/evaluations': async ({ caller, body: { agent, harness, callback_url: callbackUrl } }) => {
        const made: Evaluation = { id: randomUUID(), agent, harness, callbackUrl, createdAt: nowSeconds() }
        const own = await ofTeam(caller)
        own.set(made.id, made)
        return json(201, present(made), { location: `/v1/evaluations/${made.id}` })
      },

      'POST /v1/evaluations/probes': ({ query }) => json(200, { agent_id: query.agent_id, answered: true }),

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
  id,
  agent,
  harness,
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
