import { createRandom, type Random } from '../../scripts/seed/random.ts'

/** The schemas of a resource, of the size and in the manner of public documents. */

export type Version = '3.0.3' | '3.1.0'
export type Schema = Record<string, unknown>

const WORDS = [
  ...['amount', 'billing', 'channel', 'contact', 'country', 'currency', 'customer', 'default', 'display'],
  ...['external', 'grant', 'history', 'internal', 'label', 'limit', 'locale', 'metadata', 'origin', 'owner'],
  ...['parent', 'period', 'policy', 'priority', 'region', 'retry', 'schedule', 'scope', 'source', 'target'],
]
const ENDINGS = ['address', 'at', 'code', 'count', 'id', 'mode', 'name', 'rate', 'state', 'type', 'url']
/** With these an operation comes to about 45 objects and 4,000 characters, as in the published documents of Box (42 and
 * 3,700) and Asana (49 and 9,700). */
const MEMBERS = 11
const DEPTH = 3
const SENTENCE = 14

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** Six schemas that refer to each other and to a neighbour: its own, the body of a creation, a page, and a
 * discriminated union of two. */
export function resourceSchemas(
  name: string,
  neighbour: string,
  version: Version,
  seed: number,
): Record<string, Schema> {
  const random = createRandom(seed)
  const [plain, rich] = [`${name}Plain`, `${name}Rich`]
  const variant = (kind: string) => {
    const members = properties(random, version, 1)
    return {
      type: 'object',
      required: ['kind', ...required(random, members)],
      properties: { kind: { type: 'string', enum: [kind] }, ...members },
    }
  }
  const own = properties(random, version, DEPTH)
  return {
    [name]: {
      type: 'object',
      description: `A ${name.toLowerCase()}, as version ${seed} of it is.`,
      required: ['id', 'details', ...required(random, own)],
      properties: {
        id: { type: 'string', format: 'uuid' },
        details: refTo(`${name}Details`),
        neighbour: refTo(neighbour),
        ...own,
      },
    },
    [`${name}Create`]: {
      type: 'object',
      required: ['details'],
      properties: { details: refTo(`${name}Details`), ...properties(random, version, DEPTH) },
    },
    [`${name}Page`]: {
      type: 'object',
      required: ['results', 'next_cursor'],
      properties: {
        results: { type: 'array', items: refTo(name) },
        next_cursor: orNull({ type: 'string' }, version),
      },
    },
    [`${name}Details`]: {
      oneOf: [refTo(plain), refTo(rich)],
      discriminator: {
        propertyName: 'kind',
        mapping: { plain: `#/components/schemas/${plain}`, rich: `#/components/schemas/${rich}` },
      },
    },
    [plain]: variant('plain'),
    [rich]: variant('rich'),
  }
}

function properties(random: Random, version: Version, depth: number): Record<string, Schema> {
  return Object.fromEntries(
    Array.from({ length: MEMBERS }, () => [
      `${random.pick(WORDS)}_${random.pick(ENDINGS)}`,
      property(random, version, depth),
    ]),
  )
}

const required = (random: Random, members: Record<string, Schema>) =>
  Object.keys(members).filter(() => random.next() < 0.3)

function property(random: Random, version: Version, depth: number): Schema {
  const words = Array.from({ length: SENTENCE }, () => random.pick(WORDS))
  const described = { description: `The ${words.join(' ')}.` }
  const kind = random.weighted([
    ...([
      ['text', 6],
      ['date', 2],
      ['choice', 2],
      ['integer', 3],
      ['number', 2],
      ['boolean', 2],
    ] as const),
    ...([
      ['list', 2],
      ['object', depth > 0 ? 1 : 0],
    ] as const),
  ])
  const schemas: Record<typeof kind, () => Schema> = {
    text: () => ({ type: 'string', maxLength: 1 + Math.floor(random.next() * 500) }),
    date: () => ({ type: 'string', format: 'date-time' }),
    choice: () => ({ type: 'string', enum: [...new Set([random.pick(WORDS), random.pick(WORDS)])] }),
    integer: () => ({ type: 'integer', minimum: 0 }),
    number: () => ({
      type: 'number',
      ...(version === '3.0.3' ? { minimum: 0, exclusiveMinimum: true } : { exclusiveMinimum: 0 }),
    }),
    boolean: () => ({ type: 'boolean', default: random.next() < 0.5 }),
    list: () => ({ type: 'array', items: property(random, version, depth - 1) }),
    object: () => ({ type: 'object', properties: properties(random, version, depth - 1) }),
  }
  const schema = { ...schemas[kind](), ...described }
  return kind !== 'choice' && random.next() < 0.2 ? orNull(schema, version) : schema
}

function orNull(schema: Schema, version: Version): Schema {
  return version === '3.0.3' ? { ...schema, nullable: true } : { ...schema, type: [schema['type'], 'null'] }
}
