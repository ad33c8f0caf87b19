import { AgentCard03, AgentCard10 } from '../../contract/a2a-card.ts'
import { type ValidationError, valueError } from '../../contract/validation-error.ts'
import { hasUserInfo } from '../../platform/secrets/user-info.ts'
import { isObject } from '../rows.ts'
import type { Documents } from './fetch.ts'
import { readRequirements, readSchemes, type SecurityRequirement } from './security.ts'
import { type NoNulls, present, withoutNulls } from './values.ts'

/** A valid card in the form of A2A 1.0, whatever the version of the original. Its security schemes consist of
 * texts, booleans and lists, so that nothing in a card can become a reference to a secret. */
export interface Card extends NoNulls<Omit<AgentCard10, 'securitySchemes' | 'securityRequirements'>> {
  securitySchemes: Record<string, object>
  securityRequirements: SecurityRequirement[]
}

/** The interfaces of a card are in its order: the first is the preferred one. */
export type CardInterface = Card['supportedInterfaces'][number]

export type CardVersion = '1.0' | '0.3'

export type CardReading =
  | { card: Card; version: CardVersion; warnings: string[] }
  | { card?: undefined; faults: ValidationError[] }

/** Reads a card of A2A 1.0 or 0.3. Its members decide on the version: what a card says about its own version is
 * often wrong. */
export function readCard(documents: Documents, value: unknown): CardReading {
  const version = versionOf(value)
  if (version === undefined) {
    const reason = 'this is no agent card of A2A 1.0 or 0.3: it has neither supportedInterfaces nor url'
    return { faults: [valueError([], reason)] }
  }
  const faults = documents.check(version === '1.0' ? AgentCard10 : AgentCard03, value)
  if (faults.length > 0) return { faults }
  const given = version === '1.0' ? withoutNulls(value as AgentCard10) : toVersion10(value as AgentCard03)
  const warnings: string[] = []
  checkInterfaces(given.supportedInterfaces, version, faults)
  const card: Card = {
    ...withLinks(given, faults, warnings),
    securitySchemes: readSchemes(given.securitySchemes, faults),
    securityRequirements: readRequirements(given.securityRequirements),
  }
  return faults.length > 0 ? { faults } : { card, version, warnings }
}

/** A card for both versions has the members of both, and is one of 1.0. */
function versionOf(value: unknown): CardVersion | undefined {
  if (!isObject(value)) return undefined
  if (value['supportedInterfaces'] != null) return '1.0'
  return value['url'] == null ? undefined : '0.3'
}

/** The interfaces stay in their order, so that an index of a fault is that of the card. */
function toVersion10(original: AgentCard03): NoNulls<AgentCard10> {
  const {
    url,
    preferredTransport,
    additionalInterfaces = [],
    protocolVersion: given,
    capabilities,
    supportsAuthenticatedExtendedCard: extendedAgentCard,
    security,
    ...common
  } = withoutNulls(original)
  const protocolVersion = /^\d+\.\d+/.exec(given ?? '')?.[0] ?? '0.3'
  const others = additionalInterfaces.map(({ url: other, transport }) => ({
    url: other,
    protocolBinding: transport,
    protocolVersion,
  }))
  return present({
    ...common,
    supportedInterfaces: [
      { url, protocolBinding: preferredTransport ?? 'JSONRPC', protocolVersion },
      ...others,
    ],
    capabilities: present({ ...capabilities, extendedAgentCard }),
    securityRequirements: security,
  })
}

/** What the services behind the console can call. */
const TESTABLE = ['JSONRPC', 'HTTP+JSON']

export const isTestableBinding = (binding: string): boolean => TESTABLE.includes(binding.toUpperCase())

const USER_INFO = 'a URL must not contain a user name or a password'

function checkInterfaces(interfaces: CardInterface[], version: CardVersion, faults: ValidationError[]): void {
  for (const [index, { url, protocolBinding }] of interfaces.entries()) {
    const loc = interfaceLoc(version, index)
    if (hasUserInfo(url)) faults.push(valueError(loc, USER_INFO))
    else if (isTestableBinding(protocolBinding) && !isWebUrl(url)) {
      faults.push(valueError(loc, 'this must be an absolute URL with http or https'))
    }
  }
}

function interfaceLoc(version: CardVersion, index: number): ValidationError['loc'] {
  if (version === '1.0') return ['supportedInterfaces', index, 'url']
  return index === 0 ? ['url'] : ['additionalInterfaces', index - 1, 'url']
}

/** A link that cannot be used is no reason to refuse the agent. */
function withLinks(card: NoNulls<AgentCard10>, faults: ValidationError[], warnings: string[]) {
  const check = (loc: string[], url: string | undefined): string | undefined => {
    if (url === undefined || url === '') return undefined
    if (hasUserInfo(url)) faults.push(valueError(loc, USER_INFO))
    else if (isWebUrl(url)) return url
    else warnings.push(`${loc.join('.')} is left out: it is no URL with http or https.`)
    return undefined
  }
  const { provider } = card
  return present({
    ...card,
    provider: provider && present({ ...provider, url: check(['provider', 'url'], provider.url) }),
    documentationUrl: check(['documentationUrl'], card.documentationUrl),
    iconUrl: check(['iconUrl'], card.iconUrl),
  })
}

function isWebUrl(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'https:' || protocol === 'http:'
}
