import { type TSchema, Type } from 'typebox'
import { Agent } from '../../contract/agent.ts'
import { ORIGIN, SETTABLE } from '../../contract/agent-fields.ts'
import { briefSchema } from '../schema.ts'

/** Fields that no tool sets: they are secrets, or replacing them would replace a secret. */
const HOLDS_SECRET = ['api_key', 'white_box_config']

/** Without descriptions: the names say enough. */
const brief = (fields: Record<string, TSchema>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      Type.Optional(briefSchema({ ...schema, description: undefined })),
    ]),
  )

/** The fields that an update may set. */
export const UPDATE_FIELDS = brief(
  Object.fromEntries(Object.entries(SETTABLE).filter(([name]) => !HOLDS_SECRET.includes(name))),
)

/** The fields of a new agent that an update cannot set. */
export const ORIGIN_FIELDS = brief({ capabilities: ORIGIN.capabilities, skills: ORIGIN.skills })

/** The fields that an update may clear. */
export const CLEARABLE = Object.keys(UPDATE_FIELDS).filter((name) => isNullable(Agent.properties, name))

function isNullable(properties: Record<string, unknown>, name: string): boolean {
  const { type, anyOf = [] } = properties[name] as { type?: string | string[]; anyOf?: { type?: string }[] }
  return [type].flat().includes('null') || anyOf.some((one) => one.type === 'null')
}
