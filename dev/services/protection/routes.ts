import { json } from '../../evolution-service/answer.ts'
import { GUARDRAILS } from '../../story/guarding.ts'
import { type Caller, type Demo, type DemoContext, nowSeconds, Refusal, readObject } from '../exchange.ts'
import { streamTelemetry, telemetryEvent } from './telemetry.ts'

export type Rule =
  | { type: 'blocklist'; words: string[] }
  | { type: 'threshold'; metric: string; at_most: number }

interface Guardrail {
  name: string
  rule: Rule
  updated_at: number
}

const METRICS = ['latency_ms', 'tokens']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export function createProtection({ fleetOf }: DemoContext): Demo {
  const guardrails = new Map<string, Map<string, Guardrail>>()
  const streams = new Map<string, number>()

  const ofTeam = ({ team }: Caller): Map<string, Guardrail> => {
    const known = guardrails.get(team)
    if (known) return known
    const fleet = fleetOf(team)
    const told = fleet
      ? GUARDRAILS.map((one) => [one.name, { ...one, updated_at: fleet.madeAt }] as const)
      : []
    const own = new Map<string, Guardrail>(told)
    guardrails.set(team, own)
    return own
  }
  const find = (caller: Caller, name: string): Guardrail => {
    const found = ofTeam(caller).get(name)
    if (!found) throw new Refusal(404, 'There is no such guardrail')
    return found
  }
  const countStreams = ({ team }: Caller, by: number) => streams.set(team, (streams.get(team) ?? 0) + by)

  return {
    refuse: ({ status, message, headers }) =>
      json(
        status,
        { type: 'about:blank', title: message, status },
        { ...headers, 'content-type': 'application/problem+json' },
      ),

    routes: {
      'GET /v1/guardrails': ({ caller }) => json(200, { results: [...ofTeam(caller).values()] }),

      'GET /v1/guardrails/{name}': ({ caller, param }) => json(200, find(caller, param('name'))),

      'PUT /v1/guardrails/{name}': async ({ request, caller, param }) => {
        const rule = checkRule(await readObject(request))
        const guardrail = { name: param('name'), rule, updated_at: nowSeconds() }
        ofTeam(caller).set(guardrail.name, guardrail)
        return json(200, guardrail)
      },

      'DELETE /v1/guardrails/{name}': ({ caller, param }) => {
        ofTeam(caller).delete(find(caller, param('name')).name)
        return { status: 204, headers: {}, body: Buffer.alloc(0) }
      },

      'GET /v1/telemetry/events': async (exchange) => {
        countStreams(exchange.caller, 1)
        await streamTelemetry(exchange, fleetOf).finally(() => countStreams(exchange.caller, -1))
        return undefined
      },

      'GET /v1/telemetry/events/{event_id}': ({ caller, param }) => {
        const id = param('event_id')
        if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refusal(404, 'There is no such event')
        return json(200, telemetryEvent(caller.team, Number(id), fleetOf(caller.team)))
      },

      'POST /v1/telemetry/agents/{agent_id}/checks': ({ caller, param }) => {
        const id = param('agent_id')
        if (!UUID.test(id)) throw new Refusal(422, 'agent_id must be a UUID')
        return json(200, { agent_id: id, stopped: ofTeam(caller).size > 0 })
      },

      'GET /v1/telemetry/report': ({ caller }) =>
        json(200, { guardrails: ofTeam(caller).size, streams: streams.get(caller.team) ?? 0 }),
    },
  }
}

function checkRule({ type, words, metric, at_most: atMost }: Record<string, unknown>): Rule {
  if (type === 'blocklist' && Array.isArray(words) && words.every((word) => typeof word === 'string')) {
    return { type, words }
  }
  const isMetric = typeof metric === 'string' && METRICS.includes(metric)
  if (type === 'threshold' && isMetric && typeof atMost === 'number' && atMost > 0) {
    return { type, metric, at_most: atMost }
  }
  throw new Refusal(422, 'A rule is a blocklist of words or a threshold of a metric')
}
