import type { Json, MadeCard } from './agent-cards.ts'

/** A fault as cards in the wild have it, and where and how the console must report it. */
export interface Breakage {
  name: string
  /** Only for this version. */
  version?: '1.0' | '0.3'
  /** Changes the card, or returns other bytes. */
  apply: (card: Json) => Buffer | string | undefined
  loc: (string | number)[]
  type: string
}

const set =
  (name: string, value: unknown): Breakage['apply'] =>
  (card) =>
    void (card[name] = value)

const remove =
  (name: string): Breakage['apply'] =>
  (card) =>
    void delete card[name]

const SKILL = { id: 's', name: 's', description: 'd', tags: [] }
const INTERFACE = { url: 'https://agents.example.com/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }

const interfaces = (...given: Json[]) => set('supportedInterfaces', given)

export const BREAKAGES: Breakage[] = [
  ...[
    'name',
    'description',
    'version',
    'skills',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
  ].map((name): Breakage => ({ name: `no ${name}`, apply: remove(name), loc: [name], type: 'missing' })),
  { name: 'a long name', apply: set('name', 'x'.repeat(256)), loc: ['name'], type: 'string_too_long' },
  { name: 'an empty name', apply: set('name', ''), loc: ['name'], type: 'string_too_short' },
  { name: 'a name that is a number', apply: set('name', 5), loc: ['name'], type: 'string_type' },
  { name: 'a name that is null', apply: set('name', null), loc: ['name'], type: 'string_type' },
  {
    name: 'a long description',
    apply: set('description', 'd'.repeat(16_385)),
    loc: ['description'],
    type: 'string_too_long',
  },
  { name: 'a number as version', apply: set('version', 1.5), loc: ['version'], type: 'string_type' },
  { name: 'skills as an object', apply: set('skills', { a: SKILL }), loc: ['skills'], type: 'list_type' },
  {
    name: 'a skill without an id',
    apply: set('skills', [{ ...SKILL, id: undefined }]),
    loc: ['skills', 0, 'id'],
    type: 'missing',
  },
  {
    name: 'a skill without tags',
    apply: set('skills', [SKILL, { ...SKILL, tags: undefined }]),
    loc: ['skills', 1, 'tags'],
    type: 'missing',
  },
  {
    name: 'tags as a text',
    apply: set('skills', [{ ...SKILL, tags: 'a,b' }]),
    loc: ['skills', 0, 'tags'],
    type: 'list_type',
  },
  {
    name: 'a skill that is a text',
    apply: set('skills', ['search']),
    loc: ['skills', 0],
    type: 'model_attributes_type',
  },
  {
    name: '501 skills',
    apply: set(
      'skills',
      Array.from({ length: 501 }, () => SKILL),
    ),
    loc: ['skills'],
    type: 'too_long',
  },
  {
    name: 'modes as a text',
    apply: set('defaultInputModes', 'text/plain'),
    loc: ['defaultInputModes'],
    type: 'list_type',
  },
  {
    name: 'a mode that is a number',
    apply: set('defaultOutputModes', [1]),
    loc: ['defaultOutputModes', 0],
    type: 'string_type',
  },
  {
    name: 'capabilities as a list',
    apply: set('capabilities', ['streaming']),
    loc: ['capabilities'],
    type: 'model_attributes_type',
  },
  {
    name: 'streaming as a text',
    apply: set('capabilities', { streaming: 'true' }),
    loc: ['capabilities', 'streaming'],
    type: 'bool_type',
  },
  {
    name: 'a provider that is a text',
    apply: set('provider', 'Example'),
    loc: ['provider'],
    type: 'model_attributes_type',
  },
  {
    name: 'a provider without an organization',
    apply: set('provider', { url: 'https://example.com' }),
    loc: ['provider', 'organization'],
    type: 'missing',
  },
  {
    name: 'a password in the documentation URL',
    apply: set('documentationUrl', 'https://u:p@example.com'),
    loc: ['documentationUrl'],
    type: 'value_error',
  },
  {
    name: 'a password in the URL of the provider',
    apply: set('provider', { organization: 'x', url: 'https://u:p@example.com' }),
    loc: ['provider', 'url'],
    type: 'value_error',
  },
  {
    name: 'a scheme of an unknown kind',
    apply: set('securitySchemes', { a: { type: 'magic' } }),
    loc: ['securitySchemes', 'a'],
    type: 'value_error',
  },
  {
    name: 'a scheme that refers to a secret',
    apply: set('securitySchemes', { $secret: { type: 'http' } }),
    loc: ['securitySchemes', '$secret'],
    type: 'value_error',
  },
  {
    name: 'schemes as a list',
    apply: set('securitySchemes', []),
    loc: ['securitySchemes'],
    type: 'dict_type',
  },
  {
    name: '51 schemes',
    apply: (card) =>
      void (card['securitySchemes'] = Object.fromEntries(
        Array.from({ length: 51 }, (_, i) => [`s${i}`, { type: 'http' }]),
      )),
    loc: ['securitySchemes'],
    type: 'value_error',
  },
  {
    name: 'no interface',
    version: '1.0',
    apply: interfaces(),
    loc: ['supportedInterfaces'],
    type: 'too_short',
  },
  {
    name: 'interfaces as an object',
    version: '1.0',
    apply: set('supportedInterfaces', INTERFACE),
    loc: ['supportedInterfaces'],
    type: 'list_type',
  },
  {
    name: 'an interface without a URL',
    version: '1.0',
    apply: interfaces({ ...INTERFACE, url: undefined }),
    loc: ['supportedInterfaces', 0, 'url'],
    type: 'missing',
  },
  {
    name: 'an interface without a binding',
    version: '1.0',
    apply: interfaces({ ...INTERFACE, protocolBinding: undefined }),
    loc: ['supportedInterfaces', 0, 'protocolBinding'],
    type: 'missing',
  },
  {
    name: 'a relative URL',
    version: '1.0',
    apply: interfaces({ ...INTERFACE, url: '/a2a' }),
    loc: ['supportedInterfaces', 0, 'url'],
    type: 'value_error',
  },
  {
    name: 'a URL of another kind',
    version: '1.0',
    apply: interfaces({ ...INTERFACE, url: 'file:///etc/passwd' }),
    loc: ['supportedInterfaces', 0, 'url'],
    type: 'value_error',
  },
  {
    name: 'a password in the second interface',
    version: '1.0',
    apply: interfaces(INTERFACE, { ...INTERFACE, protocolBinding: 'GRPC', url: 'https://u:p@example.com' }),
    loc: ['supportedInterfaces', 1, 'url'],
    type: 'value_error',
  },
  {
    name: 'a long URL',
    version: '1.0',
    apply: interfaces({ ...INTERFACE, url: `https://example.com/${'x'.repeat(2_048)}` }),
    loc: ['supportedInterfaces', 0, 'url'],
    type: 'string_too_long',
  },
  {
    name: 'a URL that is a list',
    version: '0.3',
    apply: set('url', ['https://example.com']),
    loc: ['url'],
    type: 'string_type',
  },
  { name: 'no URL', version: '0.3', apply: remove('url'), loc: [], type: 'value_error' },
  {
    name: 'a password in the URL',
    version: '0.3',
    apply: (card) =>
      void Object.assign(card, { url: 'https://u:p@example.com', preferredTransport: 'JSONRPC' }),
    loc: ['url'],
    type: 'value_error',
  },
  {
    name: 'a host without a scheme',
    version: '0.3',
    apply: (card) =>
      void Object.assign(card, { url: 'agents.example.com/a2a', preferredTransport: 'JSONRPC' }),
    loc: ['url'],
    type: 'value_error',
  },
  {
    name: 'an additional interface without a transport',
    version: '0.3',
    apply: set('additionalInterfaces', [{ url: 'https://example.com' }]),
    loc: ['additionalInterfaces', 0, 'transport'],
    type: 'missing',
  },
  {
    name: 'a page in place of a card',
    apply: () => '<!doctype html><title>Not found</title>',
    loc: [],
    type: 'json_invalid',
  },
  { name: 'half a card', apply: (card) => JSON.stringify(card).slice(0, -20), loc: [], type: 'json_invalid' },
  {
    name: 'invalid UTF-8',
    apply: (card) =>
      Buffer.concat([Buffer.from(JSON.stringify(card).slice(0, -1)), Buffer.from([0xff, 0x7d])]),
    loc: [],
    type: 'json_invalid',
  },
  {
    name: 'a character U+0000',
    apply: set('description', 'a\0b'),
    loc: ['description'],
    type: 'value_error',
  },
  {
    name: 'a lone surrogate',
    apply: (card) => JSON.stringify({ ...card, description: 'X' }).replace('"X"', '"\\ud800"'),
    loc: ['description'],
    type: 'string_unicode',
  },
  {
    name: 'a member __proto__',
    apply: (card) => JSON.stringify(card).replace(/\}$/, ',"__proto__":{"a":1}}'),
    loc: ['__proto__'],
    type: 'value_error',
  },
  {
    name: 'nested too deep',
    apply: (card) => JSON.stringify(card).replace(/\}$/, `,"x":${'['.repeat(100)}${']'.repeat(100)}}`),
    loc: [],
    type: 'json_invalid',
  },
  { name: 'a list of cards', apply: (card) => JSON.stringify([card]), loc: [], type: 'value_error' },
  { name: 'a text', apply: () => '"https://agents.example.com"', loc: [], type: 'value_error' },
  {
    name: 'an OpenAPI document',
    apply: () => JSON.stringify({ openapi: '3.1.0', info: { title: 'x', version: '1' }, paths: {} }),
    loc: [],
    type: 'value_error',
  },
]

/** The bytes of a broken card. */
export function breakCard({ card }: MadeCard, { apply }: Breakage): Buffer {
  const copy = structuredClone(card)
  const given = apply(copy)
  return typeof given === 'object' ? given : Buffer.from(given ?? JSON.stringify(copy))
}
