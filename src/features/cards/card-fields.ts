import { isDeepStrictEqual } from 'node:util'
import type { Agent, AgentCreate } from '../../agent/schema.ts'
import type { ValidationError } from '../../api/problem.ts'
import type { Fetched } from './fetch.ts'
import {
  type Card,
  type CardInterface,
  type CardVersion,
  isTestableBinding,
  present,
  readCard,
} from './read-card.ts'
import { type A2AAgentCard, CARD_SOURCE, type CardMetadata, type StoredInterface } from './schema.ts'

/** The fields of an agent that a card decides. */
export type CardFields = Pick<AgentCreate, 'agent_name'> &
  Required<Pick<AgentCreate, 'agent_url' | 'purpose' | 'agent_metadata' | 'capabilities' | 'skills'>> & {
    import_metadata: CardMetadata
  }

/** Reads the fields of an agent from a card of A2A 1.0 or 0.3. `source`: where the card was fetched. Absent for a card
 * in the body of a request. */
export function readCardFields(
  value: unknown,
  source: CardSource = {},
): { fields: CardFields; warnings: string[] } | { fields?: undefined; faults: ValidationError[] } {
  const reading = readCard(value)
  if (!reading.card) return { faults: reading.faults }
  const { card, version, warnings } = reading
  return { fields: toCardFields(card, version, source), warnings: [...warnings, ...cardWarnings(card)] }
}

type CardSource = Partial<Pick<Fetched, 'url' | 'etag' | 'digest'>>

/** The first interface that the services behind the console can call. */
function preferredInterface({ supportedInterfaces }: Card): CardInterface | undefined {
  return supportedInterfaces.find(({ protocolBinding }) => isTestableBinding(protocolBinding))
}

function toCardFields(card: Card, version: CardVersion, source: CardSource): CardFields {
  const { capabilities, provider, securitySchemes, securityRequirements } = card
  const chosen = preferredInterface(card)
  return {
    agent_name: card.name,
    agent_url: chosen?.url ?? null,
    purpose: card.description,
    agent_metadata: present({
      description: card.description,
      version: card.version,
      author: provider?.organization,
      author_url: provider?.url,
      documentation_url: card.documentationUrl,
      icon_url: card.iconUrl,
    }),
    capabilities: present({
      streaming: capabilities.streaming,
      push_notifications: capabilities.pushNotifications,
    }),
    skills: card.skills.map((skill) => toStoredSkill(skill, card)),
    import_metadata: {
      source: CARD_SOURCE,
      original_format: `a2a/${version}`,
      pinned_interface: chosen ? toStored(chosen) : null,
      interfaces: card.supportedInterfaces.map(toStored),
      default_input_modes: card.defaultInputModes,
      default_output_modes: card.defaultOutputModes,
      ...present({
        source_url: source.url,
        etag: source.etag,
        digest: source.digest,
        extended_agent_card: capabilities.extendedAgentCard,
        extensions: unlessEmpty(capabilities.extensions)?.map(({ uri, description, required }) =>
          present({ uri, description: description || undefined, required: required || undefined }),
        ),
        security_schemes: Object.keys(securitySchemes).length > 0 ? securitySchemes : undefined,
        security_requirements: unlessEmpty(securityRequirements),
      }),
    },
  }
}

const unlessEmpty = <Item>(items: Item[] = []) => (items.length > 0 ? items : undefined)

function toStored({ url, protocolBinding, protocolVersion, tenant }: CardInterface): StoredInterface {
  return present({
    url,
    protocol_binding: protocolBinding,
    protocol_version: protocolVersion,
    tenant: tenant || undefined,
  })
}

function toStoredSkill(
  { id, name, description, tags, examples, inputModes, outputModes }: Card['skills'][number],
  { defaultInputModes, defaultOutputModes }: Card,
) {
  return present({
    id,
    name,
    description,
    tags,
    examples: unlessEmpty(examples),
    input_modes: unlessEmpty(inputModes) ?? defaultInputModes,
    output_modes: unlessEmpty(outputModes) ?? defaultOutputModes,
  })
}

/** What a reader of the import should know about a card. */
function cardWarnings(card: Card): string[] {
  const warnings: string[] = []
  if (!preferredInterface(card)) {
    warnings.push('No interface has the binding JSONRPC or HTTP+JSON, so that agent_url is empty.')
  }
  const schemes = Object.keys(card.securitySchemes).length
  if (schemes > 0) {
    const declared = schemes === 1 ? 'a security scheme' : `${schemes} security schemes`
    warnings.push(`The agent needs a key: the card declares ${declared}. Set api_key after the import.`)
  }
  return warnings
}

/** The members of objects that a card decides. */
const CARD_MEMBERS = {
  agent_metadata: ['description', 'version', 'author', 'author_url', 'documentation_url', 'icon_url'],
  capabilities: ['streaming', 'push_notifications'],
}

type Values = Record<string, unknown>
type CardObjects = Pick<Agent, keyof typeof CARD_MEMBERS>

/** The objects of a card, with the members of the agent that a card does not decide, such as tags. */
export function keepOwnMembers(
  agent: CardObjects,
  card: { [name in keyof CardObjects]?: object | null },
): { agent_metadata: Values; capabilities: Values } {
  const replace = (field: keyof CardObjects) => {
    const own = Object.entries(agent[field] ?? {}).filter(([name]) => !CARD_MEMBERS[field].includes(name))
    return { ...Object.fromEntries(own), ...card[field] }
  }
  return { agent_metadata: replace('agent_metadata'), capabilities: replace('capabilities') }
}

const DEFAULT_MODES = ['text/plain']

/** An agent card of A2A 1.0 for an agent. Undefined if the agent does not speak A2A, or if nothing says where. */
export function toAgentCard(
  agent: Agent,
  revision: number,
  imported: Partial<CardMetadata> = {},
): A2AAgentCard | undefined {
  const { agent_url: url, agent_metadata: metadata, capabilities } = agent
  if (agent.protocol !== 'a2a' || !url) return undefined
  const organization = metadata?.author
  const providerUrl = textOf(metadata, 'author_url')
  const input = imported.default_input_modes ?? DEFAULT_MODES
  const output = imported.default_output_modes ?? DEFAULT_MODES
  return present({
    name: agent.agent_name,
    description: agent.purpose ?? metadata?.description ?? '',
    version: metadata?.version || String(revision),
    supportedInterfaces: toInterfaces(url, imported),
    provider: organization && providerUrl ? { organization, url: providerUrl } : undefined,
    documentationUrl: textOf(metadata, 'documentation_url'),
    iconUrl: textOf(metadata, 'icon_url'),
    capabilities: present({
      streaming: capabilities?.streaming ?? undefined,
      pushNotifications: capabilities?.push_notifications ?? undefined,
      extendedAgentCard: imported.extended_agent_card,
      extensions: imported.extensions,
    }),
    defaultInputModes: input,
    defaultOutputModes: output,
    skills: (agent.skills ?? []).flatMap((skill) => toSkill(skill as Record<string, unknown>, input, output)),
    securitySchemes: imported.security_schemes,
    securityRequirements: imported.security_requirements,
  })
}

function toInterfaces(url: string, { interfaces = [] }: Partial<CardMetadata>) {
  const own = interfaces.find((each) => each.url === url)
  const first: StoredInterface = own ?? { url, protocol_binding: 'JSONRPC', protocol_version: '1.0' }
  return [first, ...interfaces.filter((each) => each !== own)].map((each) =>
    present({
      url: each.url,
      protocolBinding: each.protocol_binding,
      protocolVersion: each.protocol_version,
      tenant: each.tenant,
    }),
  )
}

/** Skills may have any form. Only one with an id and a name can be in a card. */
function toSkill(skill: Record<string, unknown>, input: string[], output: string[]) {
  const id = textOf(skill, 'id')
  const name = textOf(skill, 'name')
  if (id === undefined || name === undefined) return []
  return [
    present({
      id,
      name,
      description: textOf(skill, 'description') ?? '',
      tags: textsOf(skill, 'tags') ?? [],
      examples: textsOf(skill, 'examples'),
      inputModes: unlessDefault(textsOf(skill, 'input_modes'), input),
      outputModes: unlessDefault(textsOf(skill, 'output_modes'), output),
    }),
  ]
}

function textOf(object: object | null | undefined, name: string): string | undefined {
  const value = (object as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textsOf(object: Record<string, unknown>, name: string): string[] | undefined {
  const value = object[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

const unlessDefault = (modes: string[] | undefined, defaults: string[]) =>
  isDeepStrictEqual(modes, defaults) ? undefined : modes
