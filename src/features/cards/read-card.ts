import { type ValidationError, valueError } from '../../api/problem.ts'
import { documents } from '../../http/validation/body.ts'
import { hasUserInfo } from '../../platform/crypto/credentials.ts'
import { isObject } from '../../platform/json.ts'
import { AgentCard03, AgentCard10, MAX_SECURITY_SCHEMES } from './schema.ts'

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
export function readCard(value: unknown): CardReading {
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

/** A type of JSON whose members may be absent, and are never null. */
export type NoNulls<T> = T extends (infer Item)[]
  ? NoNulls<Item>[]
  : T extends object
    ? { [Name in keyof T]: NoNulls<Exclude<T[Name], null>> }
    : T

/** An unset member of A2A is absent or null. */
function withoutNulls<T>(value: T): NoNulls<T> {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNulls(item)) as NoNulls<T>
  if (typeof value !== 'object' || value === null) return value as NoNulls<T>
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)])) as NoNulls<T>
}

type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}

/** Leaves out the members that are undefined. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
}

type Texts = Record<string, string>

// A type and not an interface, which could not be stored as an object with any members.
export type SecurityRequirement = { schemes: Record<string, { list: string[] }> }

const MAX_TEXT = 2_048
const MAX_SCOPES = 100

/** The members of each scheme of A2A 1.0 that are texts. */
const SCHEMES: Record<string, readonly string[]> = {
  apiKeySecurityScheme: ['name', 'location', 'description'],
  httpAuthSecurityScheme: ['scheme', 'bearerFormat', 'description'],
  oauth2SecurityScheme: ['oauth2MetadataUrl', 'description'],
  openIdConnectSecurityScheme: ['openIdConnectUrl', 'description'],
  mtlsSecurityScheme: ['description'],
}

/** The scheme of 1.0 for each `type` of 0.3, which is that of OpenAPI. */
const TYPES: Record<string, string> = {
  apiKey: 'apiKeySecurityScheme',
  http: 'httpAuthSecurityScheme',
  oauth2: 'oauth2SecurityScheme',
  openIdConnect: 'openIdConnectSecurityScheme',
  mutualTLS: 'mtlsSecurityScheme',
}

const FLOWS = ['authorizationCode', 'clientCredentials', 'deviceCode', 'implicit', 'password']
const FLOW_URLS = ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl']

/** The schemes of a card of either version in the form of 1.0. They say how a client authenticates, and hold no
 * secret. */
function readSchemes(
  given: Record<string, unknown> | null | undefined,
  faults: ValidationError[],
): Record<string, object> {
  const entries = Object.entries(given ?? {})
  if (entries.length > MAX_SECURITY_SCHEMES) {
    faults.push(valueError(['securitySchemes'], `a card may have at most ${MAX_SECURITY_SCHEMES} schemes`))
    return {}
  }
  const schemes: Record<string, object> = {}
  for (const [name, value] of entries) {
    const scheme = isUsableName(name) && isObject(value) ? readScheme(value) : undefined
    if (scheme) schemes[name] = scheme
    else faults.push(valueError(['securitySchemes', showName(name)], 'this is no security scheme of A2A'))
  }
  return schemes
}

/** Requirements of 1.0, `{"schemes": {name: {"list": []}}}`, and of 0.3, `{name: []}`. */
function readRequirements(
  given: readonly Record<string, unknown>[] | null | undefined,
): SecurityRequirement[] {
  return (given ?? []).map((requirement) => {
    const schemes = isObject(requirement['schemes']) ? requirement['schemes'] : requirement
    const entries = Object.entries(schemes).filter(([name]) => isUsableName(name))
    return {
      schemes: Object.fromEntries(
        entries.slice(0, MAX_SECURITY_SCHEMES).map(([name, value]) => [name, { list: readScopes(value) }]),
      ),
    }
  })
}

function readScopes(value: unknown): string[] {
  const scopes = isObject(value) ? value['list'] : value
  return Array.isArray(scopes) ? scopes.filter((scope) => isShort(scope)).slice(0, MAX_SCOPES) : []
}

function readScheme(value: Record<string, unknown>): object | undefined {
  const kind = Object.keys(SCHEMES).find((name) => isObject(value[name]))
  if (kind !== undefined) return { [kind]: readMembers(kind, value[kind] as Record<string, unknown>) }
  const type = String(value['type'])
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  return known === undefined
    ? undefined
    : { [known]: readMembers(known, { location: value['in'], ...value }) }
}

function readMembers(kind: string, value: Record<string, unknown>): object {
  const flows = isObject(value['flows']) ? readFlows(value['flows']) : undefined
  return { ...pickTexts(value, SCHEMES[kind] ?? []), ...(flows && { flows }) }
}

/** A card of 1.0 has one flow. Of a card of 0.3 with several the first is kept. */
function readFlows(flows: Record<string, unknown>): object | undefined {
  const name = FLOWS.find((flow) => isObject(flows[flow]))
  if (name === undefined) return undefined
  const flow = flows[name] as Record<string, unknown>
  const scopes = isObject(flow['scopes']) ? flow['scopes'] : {}
  const names = Object.keys(scopes).filter(isUsableName).slice(0, MAX_SCOPES)
  return {
    [name]: {
      ...pickTexts(flow, FLOW_URLS),
      ...(typeof flow['pkceRequired'] === 'boolean' && { pkceRequired: flow['pkceRequired'] }),
      scopes: pickTexts(scopes, names),
    },
  }
}

function pickTexts(value: Record<string, unknown>, names: readonly string[]): Texts {
  return Object.fromEntries(names.flatMap((name) => (isShort(value[name]) ? [[name, value[name]]] : [])))
}

function isShort(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT
}

/** `$secret` would turn the object into a reference to a secret of the agent. */
function isUsableName(name: string): boolean {
  return name !== '$secret' && name !== '__proto__' && name.length <= 255
}

const showName = (name: string) => (name.length <= 64 ? name : '*')
