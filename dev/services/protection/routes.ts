import { GUARDRAILS, type Rule } from '../../story/guarding.ts'
import { json, NO_CONTENT } from '../answer.ts'
import {
  type Caller,
  type Demo,
  type DemoContext,
  found,
  nowSeconds,
  perTeam,
  Refusal,
  UUID,
} from '../exchange.ts'
import { streamTelemetry, telemetryEvent } from './telemetry.ts'

interface Guardrail {
  name: string
  rule: Rule
  updated_at: number
}

export function createProtection({ fleetOf }: DemoContext): Demo {
  const streams = new Map<string, number>()
  const guardrailsOf = perTeam(({ team }) => {
    const fleet = fleetOf(team)
    const own = fleet ? GUARDRAILS.map((one): Guardrail => ({ ...one, updated_at: fleet.madeAt })) : []
    return new Map(own.map((guardrail) => [guardrail.name, guardrail]))
  })
  const find = (caller: Caller, name: string) => found(guardrailsOf(caller).get(name), 'guardrail')
  const countStreams = ({ team }: Caller, by: number) => streams.set(team, (streams.get(team) ?? 0) + by)

  return {
    refuse: ({ status, message, options: { headers } }) =>
      json(
        status,
        { type: 'about:blank', title: message, status },
        { ...headers, 'content-type': 'application/problem+json' },
      ),

    routes: {
      'GET /v1/guardrails': ({ caller }) => json(200, { results: [...guardrailsOf(caller).values()] }),

      'GET /v1/guardrails/{name}': ({ caller, param }) => json(200, find(caller, param('name'))),

      'PUT /v1/guardrails/{name}': ({ caller, param, body }) => {
        const guardrail: Guardrail = { name: param('name'), rule: body, updated_at: nowSeconds() }
        guardrailsOf(caller).set(guardrail.name, guardrail)
        return json(200, guardrail)
      },

      'DELETE /v1/guardrails/{name}': ({ caller, param }) => {
        guardrailsOf(caller).delete(find(caller, param('name')).name)
        return NO_CONTENT
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
        return json(200, { agent_id: id, stopped: guardrailsOf(caller).size > 0 })
      },

      'GET /v1/telemetry/report': ({ caller }) =>
        json(200, { guardrails: guardrailsOf(caller).size, streams: streams.get(caller.team) ?? 0 }),
    },
  }
}
