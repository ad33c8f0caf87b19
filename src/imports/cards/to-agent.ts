import type { AgentCreate } from '../../contract/agent.ts'
import { CARD_SOURCE, type CardMetadata, type StoredInterface } from '../../contract/card-metadata.ts'
import type { CardSignature } from '../../contract/card-signature.ts'
import { type Card, type CardInterface, type CardSkill, type CardVersion, isTestable } from './card.ts'

/** Where a card comes from. */
export interface CardSource {
  /** Absent for a card in the body of a request. */
  url?: string
  /** The entity tag and the SHA-256 of the bytes, if they were fetched. */
  etag?: string
  digest?: string
}

/** The fields of an agent that a card decides. */
export type CardFields = Pick<AgentCreate, 'agent_name'> &
  Required<Pick<AgentCreate, 'agent_url' | 'purpose' | 'agent_metadata' | 'capabilities' | 'skills'>> & {
    import_metadata: CardMetadata
  }

/** The first interface that the services behind the console can call. */
export function preferredInterface({ interfaces }: Card): CardInterface | undefined {
  return interfaces.find(isTestable)
}

export function toCardFields(
  card: Card,
  version: CardVersion,
  source: CardSource,
  signature: CardSignature,
): CardFields {
  const chosen = preferredInterface(card)
  const { capabilities, provider } = card
  return {
    agent_name: card.name,
    agent_url: chosen?.url ?? null,
    purpose: card.description,
    agent_metadata: {
      description: card.description,
      version: card.version,
      ...(provider && { author: provider.organization }),
      ...(provider?.url && { author_url: provider.url }),
      ...(card.documentationUrl && { documentation_url: card.documentationUrl }),
      ...(card.iconUrl && { icon_url: card.iconUrl }),
    },
    capabilities: {
      ...(capabilities.streaming !== undefined && { streaming: capabilities.streaming }),
      ...(capabilities.pushNotifications !== undefined && {
        push_notifications: capabilities.pushNotifications,
      }),
    },
    skills: card.skills.map((skill) => toSkill(skill, card)),
    import_metadata: {
      source: CARD_SOURCE,
      ...(source.url !== undefined && { source_url: source.url }),
      original_format: `a2a/${version}`,
      ...(source.etag !== undefined && { etag: source.etag }),
      ...(source.digest !== undefined && { digest: source.digest }),
      pinned_interface: chosen ? toStored(chosen) : null,
      interfaces: card.interfaces.map(toStored),
      default_input_modes: card.defaultInputModes,
      default_output_modes: card.defaultOutputModes,
      ...(capabilities.extendedAgentCard !== undefined && {
        extended_agent_card: capabilities.extendedAgentCard,
      }),
      ...(capabilities.extensions.length > 0 && { extensions: capabilities.extensions }),
      ...(Object.keys(card.securitySchemes).length > 0 && { security_schemes: card.securitySchemes }),
      ...(card.securityRequirements.length > 0 && { security_requirements: card.securityRequirements }),
      signature,
    },
  }
}

/** What a reader of the import should know about a card. */
export function cardWarnings(card: Card): string[] {
  const schemes = Object.keys(card.securitySchemes)
  return [
    ...(preferredInterface(card)
      ? []
      : ['No interface has the binding JSONRPC or HTTP+JSON, so that agent_url is empty.']),
    ...(schemes.length === 0
      ? []
      : [
          `The agent needs a key: the card declares ${schemes.length === 1 ? 'a security scheme' : `${schemes.length} security schemes`}. ` +
            'Set api_key after the import.',
        ]),
  ]
}

function toStored({ url, protocolBinding, protocolVersion, tenant }: CardInterface): StoredInterface {
  return {
    ...{ url, protocol_binding: protocolBinding, protocol_version: protocolVersion },
    ...(tenant !== undefined && { tenant }),
  }
}

function toSkill(skill: CardSkill, { defaultInputModes, defaultOutputModes }: Card) {
  const { id, name, description, tags, examples } = skill
  return {
    ...{ id, name, description, tags },
    ...(examples && { examples }),
    input_modes: skill.inputModes ?? defaultInputModes,
    output_modes: skill.outputModes ?? defaultOutputModes,
  }
}
