import { type Static, type TSchema, Type } from 'typebox'
import { AGENT_NAME_LENGTH } from './agent-fields.ts'
import { FreeFormObject, nullable } from './fields.ts'

/** The agent cards that the console reads. A2A 1.0 is ProtoJSON: an unset member is absent or null, and unknown
 * members are ignored. Lengths are those of the fields of an agent that the members become. */

const text = (maxLength: number, minLength = 0) => Type.String({ minLength, maxLength })
const maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(nullable(schema))
const list = <Schema extends TSchema>(schema: Schema, maxItems: number, minItems = 0) =>
  Type.Array(schema, { minItems, maxItems })

const URL_TEXT = text(2_048, 1)
const MODES = list(text(255), 100)

const MAX_INTERFACES = 50
export const MAX_SECURITY_SCHEMES = 50

const Skill = {
  id: text(255, 1),
  name: text(255, 1),
  description: text(16_384),
  tags: list(text(255), 100),
  examples: maybe(list(text(16_384), 100)),
  inputModes: maybe(MODES),
  outputModes: maybe(MODES),
}

const Extension = Type.Object({
  uri: text(2_048),
  description: maybe(text(16_384)),
  required: maybe(Type.Boolean()),
})

const Capabilities = {
  streaming: maybe(Type.Boolean()),
  pushNotifications: maybe(Type.Boolean()),
  extensions: maybe(list(Extension, 50)),
}

const COMMON = {
  name: text(AGENT_NAME_LENGTH, 1),
  description: text(16_384),
  version: text(255),
  provider: maybe(Type.Object({ organization: text(255), url: maybe(text(2_048)) })),
  documentationUrl: maybe(text(2_048)),
  iconUrl: maybe(text(2_048)),
  defaultInputModes: MODES,
  defaultOutputModes: MODES,
  securitySchemes: maybe(FreeFormObject),
}

export const AgentCard10 = Type.Object({
  ...COMMON,
  supportedInterfaces: list(
    Type.Object({
      url: URL_TEXT,
      protocolBinding: text(255, 1),
      protocolVersion: text(64),
      tenant: maybe(text(255)),
    }),
    MAX_INTERFACES,
    1,
  ),
  capabilities: Type.Object({ ...Capabilities, extendedAgentCard: maybe(Type.Boolean()) }),
  securityRequirements: maybe(list(FreeFormObject, 50)),
  skills: list(Type.Object({ ...Skill, securityRequirements: maybe(list(FreeFormObject, 50)) }), 500),
})
export type AgentCard10 = Static<typeof AgentCard10>

/** Also cards of 0.2, which differ in members that the console does not read. */
export const AgentCard03 = Type.Object({
  ...COMMON,
  url: URL_TEXT,
  protocolVersion: maybe(text(64)),
  preferredTransport: maybe(text(255, 1)),
  additionalInterfaces: maybe(
    list(Type.Object({ url: URL_TEXT, transport: text(255, 1) }), MAX_INTERFACES - 1),
  ),
  capabilities: Type.Object(Capabilities),
  supportsAuthenticatedExtendedCard: maybe(Type.Boolean()),
  security: maybe(list(FreeFormObject, 50)),
  skills: list(Type.Object({ ...Skill, security: maybe(list(FreeFormObject, 50)) }), 500),
})
export type AgentCard03 = Static<typeof AgentCard03>
