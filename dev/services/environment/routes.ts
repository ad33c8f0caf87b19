import { randomUUID } from 'node:crypto'
import { json } from '../../evolution-service/answer.ts'
import { HARNESSES, PERSONAS, POLICIES } from '../../story/environment.ts'
import { type Fleet, storyId } from '../../story/fleet.ts'
import { type Demo, type DemoContext, nowSeconds, Refusal, readObject } from '../exchange.ts'

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

interface Kept {
  personas: Map<string, Persona>
  policies: Map<string, Policy>
}

/** Personas, policies and harnesses: what agents are tested with, and by which rules. */
export function createEnvironment({ fleetOf }: DemoContext): Demo {
  const teams = new Map<string, Kept>()

  const ofTeam = (team: string): Kept => {
    const kept = teams.get(team) ?? start(fleetOf(team))
    teams.set(team, kept)
    return kept
  }
  const found = <T>(one: T | undefined, what: string): T => {
    if (one === undefined) throw new Refusal(404, `There is no such ${what}`)
    return one
  }
  const gone = { status: 204, headers: {}, body: Buffer.alloc(0) }

  return {
    refuse: ({ status, message, headers }) => json(status, { errors: [message] }, headers),

    routes: {
      'GET /v1/personas': ({ caller }) => json(200, { results: [...ofTeam(caller.team).personas.values()] }),

      'POST /v1/personas': async ({ request, caller }) => {
        const persona = { id: randomUUID(), ...checkPersona(await readObject(request)) }
        ofTeam(caller.team).personas.set(persona.id, persona)
        return json(201, persona, { location: `/v1/personas/${persona.id}` })
      },

      'GET /v1/personas/{persona_id}': ({ caller, param }) =>
        json(200, found(ofTeam(caller.team).personas.get(param('persona_id')), 'persona')),

      'DELETE /v1/personas/{persona_id}': ({ caller, param }) => {
        const { personas } = ofTeam(caller.team)
        personas.delete(found(personas.get(param('persona_id')), 'persona').id)
        return gone
      },

      'GET /v1/policies': ({ caller }) => json(200, { results: [...ofTeam(caller.team).policies.values()] }),

      'GET /v1/policies/{name}': ({ caller, param }) =>
        json(200, found(ofTeam(caller.team).policies.get(param('name')), 'policy')),

      'PUT /v1/policies/{name}': async ({ request, caller, param }) => {
        const policy = {
          name: param('name'),
          ...checkPolicy(await readObject(request)),
          updated_at: nowSeconds(),
        }
        ofTeam(caller.team).policies.set(policy.name, policy)
        return json(200, policy)
      },

      'DELETE /v1/policies/{name}': ({ caller, param }) => {
        const { policies } = ofTeam(caller.team)
        policies.delete(found(policies.get(param('name')), 'policy').name)
        return gone
      },

      'GET /v1/harnesses': ({ caller }) =>
        json(200, { results: HARNESSES.map((harness) => place(harness, caller.team)) }),

      'GET /v1/harnesses/{name}': ({ caller, param }) => {
        const harness = found(
          HARNESSES.find(({ name }) => name === param('name')),
          'harness',
        )
        return json(200, place(harness, caller.team))
      },
    },
  }
}

function start(fleet: Fleet | undefined): Kept {
  if (!fleet) return { personas: new Map(), policies: new Map() }
  const { team, madeAt } = fleet
  const personas = PERSONAS.map(({ key, ...persona }) => ({ id: personaId(team, key), ...persona }))
  return {
    personas: new Map(personas.map((persona) => [persona.id, persona])),
    policies: new Map(POLICIES.map((policy) => [policy.name, { ...policy, updated_at: madeAt }])),
  }
}

const personaId = (team: string, key: string): string => storyId(team, `persona/${key}`)

/** Harnesses are the same for every team; the personas that they play are the team's own. */
function place({ personas, ...harness }: (typeof HARNESSES)[number], team: string) {
  return { ...harness, persona_ids: personas.map((key) => personaId(team, key)) }
}

function checkPersona({
  name,
  description = null,
  traits = [],
}: Record<string, unknown>): Omit<Persona, 'id'> {
  if (typeof name !== 'string' || name === '') throw new Refusal(422, 'name must be a text')
  if (description !== null && typeof description !== 'string') {
    throw new Refusal(422, 'description must be a text or null')
  }
  return { name, description, traits: readTexts('traits', traits) }
}

function checkPolicy({ text, tags = [], enforcement = 'block' }: Record<string, unknown>) {
  if (typeof text !== 'string' || text === '') throw new Refusal(422, 'text must be a text')
  if (enforcement !== 'block' && enforcement !== 'warn') {
    throw new Refusal(422, 'enforcement must be block or warn')
  }
  return { text, tags: readTexts('tags', tags), enforcement } as const
}

function readTexts(name: string, value: unknown): string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new Refusal(422, `${name} must be a list of texts`)
}
