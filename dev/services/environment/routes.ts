import { randomUUID } from 'node:crypto'
import { HARNESSES, PERSONAS, POLICIES } from '../../story/environment.ts'
import { storyId } from '../../story/fleet.ts'
import { json, NO_CONTENT } from '../answer.ts'
import { type Demo, type DemoContext, found, nowSeconds, perTeam } from '../exchange.ts'

interface Persona {
  id: string
  name: string
  description: string | null
  traits: string[]
}

interface Policy {
  name: string
  text: string
  tags: string[]
  enforcement: 'block' | 'warn'
  updated_at: number
}

/** Personas, policies and harnesses: what agents are tested with, and by which rules. */
export function createEnvironment({ fleetOf }: DemoContext): Demo {
  const personasOf = perTeam(({ team }) => {
    const personas = fleetOf(team) ? PERSONAS : []
    const withIds = personas.map(({ key, ...rest }): Persona => ({ id: personaId(team, key), ...rest }))
    return new Map(withIds.map((persona) => [persona.id, persona]))
  })
  const policiesOf = perTeam(({ team }) => {
    const fleet = fleetOf(team)
    const policies = fleet ? POLICIES.map((policy): Policy => ({ ...policy, updated_at: fleet.madeAt })) : []
    return new Map(policies.map((policy) => [policy.name, policy]))
  })

  return {
    refuse: ({ status, message, options: { headers } }) => json(status, { errors: [message] }, headers),

    routes: {
      'GET /v1/personas': ({ caller }) => json(200, { results: [...personasOf(caller).values()] }),

      'POST /v1/personas': ({ caller, body }) => {
        const persona: Persona = { description: null, traits: [], ...body, id: randomUUID() }
        personasOf(caller).set(persona.id, persona)
        return json(201, persona, { location: `/v1/personas/${persona.id}` })
      },

      'GET /v1/personas/{persona_id}': ({ caller, param }) =>
        json(200, found(personasOf(caller).get(param('persona_id')), 'persona')),

      'DELETE /v1/personas/{persona_id}': ({ caller, param }) => {
        const personas = personasOf(caller)
        personas.delete(found(personas.get(param('persona_id')), 'persona').id)
        return NO_CONTENT
      },

      'GET /v1/policies': ({ caller }) => json(200, { results: [...policiesOf(caller).values()] }),

      'GET /v1/policies/{name}': ({ caller, param }) =>
        json(200, found(policiesOf(caller).get(param('name')), 'policy')),

      'PUT /v1/policies/{name}': ({ caller, param, body }) => {
        const policy: Policy = { tags: [], ...body, name: param('name'), updated_at: nowSeconds() }
        policiesOf(caller).set(policy.name, policy)
        return json(200, policy)
      },

      'DELETE /v1/policies/{name}': ({ caller, param }) => {
        const policies = policiesOf(caller)
        policies.delete(found(policies.get(param('name')), 'policy').name)
        return NO_CONTENT
      },

      'GET /v1/harnesses': ({ caller }) =>
        json(200, { results: HARNESSES.map((harness) => place(harness, caller.team)) }),

      'GET /v1/harnesses/{name}': ({ caller, param }) => {
        const harness = HARNESSES.find(({ name }) => name === param('name'))
        return json(200, place(found(harness, 'harness'), caller.team))
      },
    },
  }
}

const personaId = (team: string, key: string): string => storyId(team, `persona/${key}`)

/** Harnesses are the same for every team; the personas that they play are the team's own. */
function place({ personas, ...harness }: (typeof HARNESSES)[number], team: string) {
  return { ...harness, persona_ids: personas.map((key) => personaId(team, key)) }
}
