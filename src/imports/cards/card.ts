/** An agent card as the console uses it: the members of A2A 1.0 that it reads, whatever the version of the original. All of it
 * consists of texts, booleans and lists, so that nothing in a card can become a reference to a secret. */
export interface Card {
  name: string
  description: string
  version: string
  interfaces: CardInterface[]
  capabilities: {
    streaming?: boolean
    pushNotifications?: boolean
    extendedAgentCard?: boolean
    extensions: { uri: string; description?: string; required?: boolean }[]
  }
  defaultInputModes: string[]
  defaultOutputModes: string[]
  skills: CardSkill[]
  provider?: { organization: string; url?: string }
  documentationUrl?: string
  iconUrl?: string
  securitySchemes: Record<string, object>
  securityRequirements: SecurityRequirement[]
}

/** In the order of the card: the first is the preferred one. */
export interface CardInterface {
  url: string
  protocolBinding: string
  protocolVersion: string
  tenant?: string
}

export interface CardSkill {
  id: string
  name: string
  description: string
  tags: string[]
  examples?: string[]
  inputModes?: string[]
  outputModes?: string[]
}

// A type and not an interface, which could not be stored as an object with any members.
export type SecurityRequirement = { schemes: Record<string, { list: string[] }> }

export type CardVersion = '1.0' | '0.3'

/** What the services behind the console can call. */
const TESTABLE = ['JSONRPC', 'HTTP+JSON']

export const isTestable = ({ protocolBinding }: CardInterface): boolean =>
  TESTABLE.includes(protocolBinding.toUpperCase())

export const isTestableBinding = ({ protocol_binding: binding }: { protocol_binding: string }): boolean =>
  TESTABLE.includes(binding.toUpperCase())
