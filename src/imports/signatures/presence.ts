import type { CardVersion } from '../cards/card.ts'

/** The messages of an agent card, as Protocol Buffers define them, to find out which members a signer leaves out. */

/** `required` and `optional` members stay even with their default value; `plain` ones do not. */
type Presence = 'required' | 'optional' | 'plain'
type Kind = 'value' | 'any' | Message | { listOf: Message } | { mapOf: Message }
interface Member {
  presence: Presence
  kind: Kind
}
interface Message {
  members: Record<string, Member>
}

const member = (presence: Presence, kind: Kind = 'value'): Member => ({ presence, kind })
const message = (members: Record<string, Member>): Message => ({ members })
const named = (presence: Presence, names: string): Record<string, Member> =>
  Object.fromEntries(names.split(' ').map((name) => [name, member(presence)]))

const flow = (urls: string) =>
  message({ ...named('required', `${urls} scopes`), ...named('plain', 'refreshUrl') })

const Flows = message({
  authorizationCode: member('optional', {
    members: { ...flow('authorizationUrl tokenUrl').members, ...named('plain', 'pkceRequired') },
  }),
  clientCredentials: member('optional', flow('tokenUrl')),
  implicit: member('optional', message(named('plain', 'authorizationUrl refreshUrl scopes'))),
  password: member('optional', message(named('plain', 'tokenUrl refreshUrl scopes'))),
  deviceCode: member('optional', flow('deviceAuthorizationUrl tokenUrl')),
})

const described = (required: string, plain = '') =>
  message({
    ...named('plain', `description ${plain}`.trim()),
    ...(required === '' ? {} : named('required', required)),
  })

const Scheme = message({
  apiKeySecurityScheme: member('optional', described('location name')),
  httpAuthSecurityScheme: member('optional', described('scheme', 'bearerFormat')),
  oauth2SecurityScheme: member('optional', {
    members: {
      ...described('', 'oauth2MetadataUrl').members,
      flows: member('required', Flows),
    },
  }),
  openIdConnectSecurityScheme: member('optional', described('openIdConnectUrl')),
  mtlsSecurityScheme: member('optional', described('')),
})

const Requirement = message({
  schemes: member('plain', { mapOf: message(named('plain', 'list')) }),
})

const SKILL = {
  ...named('required', 'id name description tags'),
  ...named('plain', 'examples inputModes outputModes'),
}

const Extension = message({
  ...named('plain', 'uri description required'),
  params: member('plain', 'any'),
})

const CAPABILITIES = {
  ...named('optional', 'streaming pushNotifications'),
  extensions: member('plain', { listOf: Extension }),
}

const COMMON = {
  ...named('required', 'name description version defaultInputModes defaultOutputModes'),
  provider: member('plain', message(named('required', 'url organization'))),
  ...named('optional', 'documentationUrl iconUrl'),
}

/** Of 0.3, whose schemes are not defined by a message of their own in JSON, everything in the schemes stays. */
const CARDS: Record<CardVersion, Message> = {
  '1.0': message({
    ...COMMON,
    supportedInterfaces: member('required', {
      listOf: message({
        ...named('required', 'url protocolBinding protocolVersion'),
        ...named('plain', 'tenant'),
      }),
    }),
    capabilities: member('required', message({ ...CAPABILITIES, ...named('optional', 'extendedAgentCard') })),
    securitySchemes: member('plain', { mapOf: Scheme }),
    securityRequirements: member('plain', { listOf: Requirement }),
    skills: member('required', {
      listOf: message({ ...SKILL, securityRequirements: member('plain', { listOf: Requirement }) }),
    }),
  }),
  '0.3': message({
    ...COMMON,
    ...named('required', 'url protocolVersion'),
    ...named('plain', 'preferredTransport supportsAuthenticatedExtendedCard'),
    additionalInterfaces: member('plain', { listOf: message(named('required', 'url transport')) }),
    capabilities: member(
      'required',
      message({ ...CAPABILITIES, ...named('optional', 'stateTransitionHistory') }),
    ),
    securitySchemes: member('plain', 'any'),
    security: member('plain', 'any'),
    skills: member('required', { listOf: message({ ...SKILL, security: member('plain', 'any') }) }),
  }),
}

export type Values = Record<string, unknown>

/** The card as A2A 1.0 wants it signed: only members of its messages, and without default values of plain members. */
export function withPresence(card: Values, version: CardVersion): Values {
  return stripMessage(CARDS[version], card) as Values
}

/** Without everything that is empty, as the SDKs of A2A do it. `false` and 0 stay. */
export function compact(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(compact).filter((item) => item !== undefined)
    return items.length > 0 ? items : undefined
  }
  if (isValues(value)) {
    const members = mapMembers(value, (_, content) => compact(content))
    return Object.keys(members).length > 0 ? members : undefined
  }
  return value === '' || value === null ? undefined : value
}

/** A card of which `compact` leaves out nothing that means something: without empty objects and empty items, such as a security
 * scheme without members. Empty texts and lists stay, which a card may have to have, and so do its capabilities. */
export function withoutEmpty(card: Values): Values {
  return {
    ...(dropEmpty(card) as Values),
    ...(isValues(card['capabilities']) && { capabilities: dropEmpty(card['capabilities']) }),
  }
}

function dropEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => compact(item) !== undefined).map(dropEmpty)
  if (!isValues(value)) return value
  return mapMembers(value, (_, content) =>
    isValues(content) && compact(content) === undefined ? undefined : dropEmpty(content),
  )
}

function stripMessage({ members }: Message, value: unknown): unknown {
  if (!isValues(value)) return value
  return mapMembers(value, (name, content) => {
    const known = Object.hasOwn(members, name) ? members[name] : undefined
    if (!known || content === null) return undefined
    const stripped = stripKind(known.kind, content)
    return known.presence === 'plain' && isDefault(known.kind, stripped) ? undefined : stripped
  })
}

function stripKind(kind: Kind, value: unknown): unknown {
  if (kind === 'value' || kind === 'any') return value
  if ('members' in kind) return stripMessage(kind, value)
  if ('listOf' in kind) {
    return Array.isArray(value) ? value.map((item) => stripMessage(kind.listOf, item)) : value
  }
  return isValues(value) ? mapMembers(value, (_, content) => stripMessage(kind.mapOf, content)) : value
}

/** An empty message is set, and no default. */
function isDefault(kind: Kind, value: unknown): boolean {
  if (value === '' || value === false || value === 0) return true
  if (Array.isArray(value)) return value.length === 0
  const isMessage = typeof kind === 'object' && 'members' in kind
  return isValues(value) && !isMessage && Object.keys(value).length === 0
}

/** Members for which the function returns undefined are left out. `fromEntries` takes even `__proto__` as a name. */
function mapMembers(values: Values, change: (name: string, content: unknown) => unknown): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, content]) => {
      const changed = change(name, content)
      return changed === undefined ? [] : [[name, changed]]
    }),
  )
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
