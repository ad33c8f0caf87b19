/** Agent cards of A2A 1.0 and 0.3 made from random choices, each with what must become of it. The expectations do not use the code
 * that reads cards. */

export type Random = () => number

/** The same sequence for the same seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Json = Record<string, unknown>

export interface MadeCard {
  version: '1.0' | '0.3'
  card: Json
  expected: {
    agent_name: string
    agent_url: string | null
    purpose: string
    agent_metadata: Json
    capabilities: Json
    skills: Json[]
    interfaces: Json[]
    hasSchemes: boolean
  }
}

const WORDS = [
  ...['Rechnung', 'invoice', 'weather', '旅行', 'réseau', 'billing', 'search', 'map', 'naïve', 'audit', '🚀'],
  ...['a "quoted" word', 'line\nbreak', 'back\\slash', '\u2028', 'tab\t', 'é', '<script>', '&amp;'],
]
const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC', 'https://example.com/bindings/own']
const MODES = ['text/plain', 'application/json', 'image/png', 'audio/wav']

export function makeCard(random: Random, version: '1.0' | '0.3', host = 'agents.example.com'): MadeCard {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const chance = (part: number) => random() < part
  const words = (count: number) => Array.from({ length: count }, () => pick(WORDS)).join(' ')
  const some = <Item>(max: number, make: () => Item): Item[] =>
    Array.from({ length: Math.floor(random() * (max + 1)) }, make)
  const optional = (part: number, members: Json): Json => (chance(part) ? members : {})

  const model = {
    name: words(1 + Math.floor(random() * 4)),
    description: chance(0.1) ? '' : words(10),
    version: pick(['1.0.0', '2.3.1-beta', '2026-11', '7']),
    interfaces: [0, ...some(3, () => 0)].map((_, index) => ({
      url: `https://${host}/a2a/${Math.floor(random() * 1e9)}/${index}`,
      binding: pick(BINDINGS),
      tenant: chance(0.2) ? `tenant-${Math.floor(random() * 100)}` : undefined,
    })),
    streaming: pick([true, false, undefined]),
    push: pick([true, false, undefined]),
    extended: pick([true, false, undefined]),
    input: ['text/plain', ...some(2, () => pick(MODES))],
    output: ['application/json', ...some(2, () => pick(MODES))],
    skills: some(5, () => 0).map((_, index) => ({
      id: `skill-${index}`,
      name: words(2),
      description: words(6),
      tags: some(3, () => pick(WORDS)),
      examples: chance(0.5) ? [words(3)] : undefined,
      inputModes: chance(0.3) ? [pick(MODES)] : undefined,
      outputModes: chance(0.3) ? [pick(MODES)] : undefined,
    })),
    provider: chance(0.6) ? { organization: words(2), url: `https://${host}/about` } : undefined,
    documentation: chance(0.4) ? `https://${host}/docs` : undefined,
    icon: chance(0.3) ? `https://${host}/icon.png` : undefined,
    hasSchemes: chance(0.5),
  }
  const isNew = version === '1.0'
  const [first] = model.interfaces
  const skill = (each: (typeof model.skills)[number]): Json =>
    clean({ ...each, ...optional(0.1, { examplesOfOthers: ['ignored'] }) })
  const common: Json = {
    ...{ name: model.name, description: model.description, version: model.version },
    ...clean({ provider: model.provider, documentationUrl: model.documentation, iconUrl: model.icon }),
    defaultInputModes: model.input,
    defaultOutputModes: model.output,
    skills: model.skills.map(skill),
    // Members that no version knows, and those that are unset.
    ...optional(0.3, { 'x-vendor': { nested: [1, 2.5, null, { deep: true }] } }),
    ...optional(0.2, { signatures: [] }),
  }
  const unset: Json = model.icon === undefined && chance(0.2) ? { iconUrl: null } : {}
  const capabilities = clean({
    streaming: model.streaming,
    pushNotifications: model.push,
    ...optional(0.2, {
      extensions: [{ uri: 'https://example.com/ext/1', required: false, params: { a: 1 } }],
    }),
  })
  const card: Json = isNew
    ? {
        ...{ ...common, ...unset },
        supportedInterfaces: model.interfaces.map(({ url, binding, tenant }) =>
          clean({ url, protocolBinding: binding, protocolVersion: '1.0', tenant }),
        ),
        capabilities: clean({ ...capabilities, extendedAgentCard: model.extended }),
        // Many cards of 1.0 also have the members of 0.3.
        ...optional(0.3, {
          url: `https://${host}/old`,
          preferredTransport: 'JSONRPC',
          protocolVersion: '0.3.0',
        }),
        ...(model.hasSchemes && {
          securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } },
          securityRequirements: [{ schemes: { bearer: { list: [] } } }],
        }),
      }
    : {
        ...{ ...common, ...unset },
        url: first?.url,
        ...(first?.binding === 'JSONRPC' && chance(0.5) ? {} : { preferredTransport: first?.binding }),
        ...optional(0.8, { protocolVersion: '0.3.0' }),
        ...(model.interfaces.length > 1 && {
          additionalInterfaces: model.interfaces
            .slice(1)
            .map(({ url, binding }) => ({ url, transport: binding })),
        }),
        capabilities: { ...capabilities, ...optional(0.3, { stateTransitionHistory: true }) },
        ...(model.extended !== undefined && { supportsAuthenticatedExtendedCard: model.extended }),
        ...(model.hasSchemes && {
          securitySchemes: { key: { type: 'apiKey', name: 'X-Key', in: 'header' } },
          security: [{ key: [] }],
        }),
      }
  return {
    version,
    card,
    expected: {
      agent_name: model.name,
      agent_url: model.interfaces.find(({ binding }) => BINDINGS.indexOf(binding) < 2)?.url ?? null,
      purpose: model.description,
      agent_metadata: clean({
        description: model.description,
        version: model.version,
        author: model.provider?.organization,
        author_url: model.provider?.url,
        documentation_url: model.documentation,
        icon_url: model.icon,
      }),
      capabilities: clean({ streaming: model.streaming, push_notifications: model.push }),
      skills: model.skills.map(({ id, name, description, tags, examples, inputModes, outputModes }) =>
        clean({
          ...{ id, name, description, tags, examples },
          input_modes: inputModes ?? model.input,
          output_modes: outputModes ?? model.output,
        }),
      ),
      interfaces: model.interfaces.map(({ url, binding, tenant }) =>
        clean({
          url,
          protocol_binding: binding,
          protocol_version: isNew ? '1.0' : '0.3',
          tenant: isNew ? tenant : undefined,
        }),
      ),
      hasSchemes: model.hasSchemes,
    },
  }
}

/** Without members that are undefined. */
function clean(members: Json): Json {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
