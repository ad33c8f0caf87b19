import { AgentCard03, AgentCard10 } from '../../contract/a2a-card.ts'
import type { ValidationError } from '../../contract/validation-error.ts'
import { isObject, valueError } from '../validation.ts'
import type { Card, CardInterface, CardSkill, CardVersion } from './card.ts'
import type { Documents } from './documents.ts'
import { readRequirements, readSchemes } from './security.ts'
import { checkUrls } from './urls.ts'

export type CardReading =
  | { card: Card; version: CardVersion; warnings: string[] }
  | { card?: undefined; faults: ValidationError[] }

/** Reads a card of A2A 1.0 or 0.3. Its members decide on the version: what a card says about its own version is often wrong. */
export function readCard(documents: Documents, value: unknown): CardReading {
  const version = versionOf(value)
  if (version === undefined) {
    const reason = 'this is no agent card of A2A 1.0 or 0.3: it has neither supportedInterfaces nor url'
    return { faults: [valueError([], reason)] }
  }
  const faults = documents.check(version === '1.0' ? AgentCard10 : AgentCard03, value)
  if (faults.length > 0) return { faults }
  const read = version === '1.0' ? from10(value as AgentCard10, faults) : from03(value as AgentCard03, faults)
  const checked = checkUrls(read, (index) => interfaceLoc(version, index))
  faults.push(...checked.faults)
  if (faults.length > 0) return { faults }
  return { card: checked.card, version, warnings: checked.warnings }
}

/** A card for both versions has the members of both, and is one of 1.0. */
function versionOf(value: unknown): CardVersion | undefined {
  if (!isObject(value)) return undefined
  if (value['supportedInterfaces'] != null) return '1.0'
  return value['url'] == null ? undefined : '0.3'
}

function interfaceLoc(version: CardVersion, index: number): ValidationError['loc'] {
  if (version === '1.0') return ['supportedInterfaces', index, 'url']
  return index === 0 ? ['url'] : ['additionalInterfaces', index - 1, 'url']
}

function from10(card: AgentCard10, faults: ValidationError[]): Card {
  return {
    ...common(card, faults),
    interfaces: card.supportedInterfaces.map(({ url, protocolBinding, protocolVersion, tenant }) => ({
      ...{ url, protocolBinding, protocolVersion },
      ...(tenant && { tenant }),
    })),
    capabilities: {
      ...capabilities(card),
      ...(card.capabilities.extendedAgentCard != null && {
        extendedAgentCard: card.capabilities.extendedAgentCard,
      }),
    },
    securityRequirements: readRequirements(card.securityRequirements),
  }
}

/** The interfaces stay in their order, so that an index of a fault is that of the card. */
function from03(card: AgentCard03, faults: ValidationError[]): Card {
  const protocolVersion = /^\d+\.\d+/.exec(card.protocolVersion ?? '')?.[0] ?? '0.3'
  const extended = card.supportsAuthenticatedExtendedCard
  const interfaces: CardInterface[] = [
    { url: card.url, protocolBinding: card.preferredTransport ?? 'JSONRPC', protocolVersion },
    ...(card.additionalInterfaces ?? []).map(({ url, transport }) => ({
      ...{ url, protocolBinding: transport, protocolVersion },
    })),
  ]
  return {
    ...common(card, faults),
    interfaces,
    capabilities: { ...capabilities(card), ...(extended != null && { extendedAgentCard: extended }) },
    securityRequirements: readRequirements(card.security),
  }
}

function capabilities({ capabilities: given }: AgentCard10 | AgentCard03): Card['capabilities'] {
  const { streaming, pushNotifications, extensions } = given
  return {
    ...(streaming != null && { streaming }),
    ...(pushNotifications != null && { pushNotifications }),
    extensions: (extensions ?? []).map(({ uri, description, required }) => ({
      uri,
      ...(description && { description }),
      ...(required && { required }),
    })),
  }
}

function common(card: AgentCard10 | AgentCard03, faults: ValidationError[]) {
  const { name, description, version, provider, documentationUrl, iconUrl } = card
  return {
    ...{ name, description, version },
    ...(provider && {
      provider: { organization: provider.organization, ...(provider.url && { url: provider.url }) },
    }),
    ...(documentationUrl && { documentationUrl }),
    ...(iconUrl && { iconUrl }),
    defaultInputModes: card.defaultInputModes,
    defaultOutputModes: card.defaultOutputModes,
    skills: card.skills.map(toSkill),
    securitySchemes: readSchemes(card.securitySchemes, faults),
  }
}

function toSkill(skill: AgentCard10['skills'][number] | AgentCard03['skills'][number]): CardSkill {
  const { id, name, description, tags, examples, inputModes, outputModes } = skill
  return {
    ...{ id, name, description, tags },
    ...(examples?.length && { examples }),
    ...(inputModes?.length && { inputModes }),
    ...(outputModes?.length && { outputModes }),
  }
}
