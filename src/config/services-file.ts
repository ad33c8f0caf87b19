import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { type Static, type TObject, Type } from 'typebox'
import { parse as parseYaml } from 'yaml'
import { integer, oneOf, PRIORITIES, type Priority } from '../api/fields.ts'
import { isUnencrypted } from './insecure.ts'
import { SettingInvalid } from './reader.ts'

/** What a service gets as a token. There is no default: the choice decides what a compromised service can do. */
const SERVICE_TOKENS = ['assert', 'exchange', 'pass'] as const

/** A scope token of OAuth (RFC 6749 section 3.3). */
const permission = (which: string) =>
  Type.String({
    maxLength: 128,
    pattern: '^[!#-\\[\\]-~]+$',
    description: `the name of a permission that ${which}, without spaces, quotes and backslashes`,
  })

/** The content of `SERVICES_FILE`. A description completes the sentence "must be …" of an error message. */
export const ServiceEntry = Type.Object(
  {
    name: Type.String({
      maxLength: 40,
      pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
      description: 'at most 40 lower-case letters and digits, in words joined by hyphens',
    }),
    tag: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: '^[^\\p{C}]+$',
      description: 'a text of 1 to 64 characters without control characters',
    }),
    url: Type.String({ description: 'a URL' }),
    token: oneOf(SERVICE_TOKENS, {
      description:
        'one of assert (the service gets a token of a minute that the console signs for it alone), exchange (a token ' +
        "that the issuer makes for it, RFC 8693) and pass (the caller's own token, with which it can do at the " +
        'console what the caller can)',
    }),
    audience: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'the audience of the tokens for the service, a text; without it, the name of the service',
      }),
    ),
    insecure_http: Type.Optional(Type.Boolean({ description: 'true or false' })),
    read_permission: Type.Optional(permission('GET, HEAD and OPTIONS need')),
    write_permission: Type.Optional(permission('all other methods need')),
    budget_priority: Type.Optional(oneOf(PRIORITIES, { description: `one of ${PRIORITIES.join(', ')}` })),
    document: Type.Optional(
      Type.String({ minLength: 1, description: 'a URL, or a path under `url`; without it, /openapi.json' }),
    ),
    prefixes: Type.Array(
      Type.String({
        pattern: '^(/(?!\\.{1,2}(/|$))([\\w.~-]+|\\{\\w+\\}))+$',
        description: 'a path such as /v1/teams or /v1/teams/{team_id}/members',
      }),
      { minItems: 1, description: 'a list of at least one path' },
    ),
    deadline_ms: Type.Optional(
      integer({ minimum: 1, maximum: 600_000, description: 'a whole number from 1 to 600000' }),
    ),
    max_in_flight: Type.Optional(
      integer({ minimum: 1, maximum: 4_096, description: 'a whole number from 1 to 4096' }),
    ),
    max_request_bytes: Type.Optional(integer({ minimum: 0, description: 'a whole number of bytes' })),
    max_response_bytes: Type.Optional(integer({ minimum: 0, description: 'a whole number of bytes' })),
    poll_seconds: Type.Optional(
      Type.Number({ minimum: 0.1, maximum: 86_400, description: 'a number from 0.1 to 86400' }),
    ),
  },
  { additionalProperties: false, description: 'an object' },
)
export type ServiceEntry = Static<typeof ServiceEntry>

const ServicesFile = Type.Object(
  { services: Type.Array(ServiceEntry, { description: 'a list' }) },
  { additionalProperties: false, description: 'an object with the list `services`' },
)
export type ServicesFile = Static<typeof ServicesFile>

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** `red-team` -> `RedTeam` */
const pascalCase = (name: string) => name.split('-').map(capitalise).join('')

/** The name of a component or operation of a service in the combined document, whatever other services there are. */
export function publishedName(service: string, name: string): string {
  return pascalCase(service) + capitalise(name)
}

/** Whether two services can publish the same name: `red` with `TeamReport`, `red-team` with `Report`. After the
 * service name, the next character of a published name is never a lower-case letter. */
function canPublishSameName(one: string, other: string): boolean {
  const [short = '', long = ''] = [pascalCase(one), pascalCase(other)].toSorted((a, b) => a.length - b.length)
  return long.startsWith(short) && !/^[a-z]/.test(long.slice(short.length))
}

/** Prefixes that no service may own: the paths of the console, and `/console` and `/metrics`, which are reserved. */
export const CONSOLE_PREFIXES = [
  '/.well-known',
  '/asyncapi.json',
  '/console',
  '/docs',
  '/health',
  '/mcp',
  '/metrics',
  '/openapi.json',
  '/v1/agent-configurations',
  '/v1/agent-imports',
  '/v1/audit-events',
  '/v1/configuration-sets',
  '/v1/evolution',
  '/v1/genomes',
  '/v1/me',
  '/v1/services',
  '/v1/users',
  '/v1/views',
]

/** A sentence for each pair of prefixes that cover the same path and belong to different owners. */
export function findPrefixConflicts(services: readonly Pick<ServiceEntry, 'name' | 'prefixes'>[]): string[] {
  const given = services.flatMap(({ name, prefixes }) =>
    prefixes.map((prefix) => ({ owner: `the service ${name}`, prefix })),
  )
  const own = CONSOLE_PREFIXES.map((prefix) => ({ owner: 'the console', prefix }))
  return given.flatMap((one, index) =>
    [...own, ...given.slice(0, index)]
      .filter(({ owner, prefix }) => owner !== one.owner && overlaps(prefix, one.prefix))
      .map(
        ({ owner, prefix }) =>
          `gives ${one.prefix} to ${one.owner}, which clashes with ${prefix} of ${owner}`,
      ),
  )
}

/** Whether a path lies under one of the prefixes. A path parameter matches only a prefix parameter: `/v1/{a}` is
 * not under `/v1/teams`. */
export function isUnderPrefix(path: string, prefixes: readonly string[]): boolean {
  const segments = pathSegments(path)
  const matches = (segment: string, index: number) =>
    isParameter(segment) ? segments[index] !== undefined : segments[index] === segment
  return prefixes.some((prefix) => pathSegments(prefix).every(matches))
}

/** Whether some path lies under both: a parameter may be any segment. */
function overlaps(a: string, b: string): boolean {
  const others = pathSegments(b)
  return pathSegments(a)
    .slice(0, others.length)
    .every((segment, index) => {
      const other = others[index] as string
      return segment === other || isParameter(segment) || isParameter(other)
    })
}

const pathSegments = (path: string) => path.replace(/\/$/, '').split('/').slice(1)
const isParameter = (segment: string) => segment.includes('{')

/** A service behind the console: an entry of the services file with its defaults. */
export interface Service extends Pick<ServiceEntry, 'name' | 'tag' | 'url' | 'prefixes' | 'token'> {
  readonly documentUrl: string
  /** The audience of the tokens that are made for it. */
  readonly audience: string
  /** The permissions that callers need: one for GET, HEAD and OPTIONS, one for all other methods. Undefined: none. */
  readonly readPermission: string | undefined
  readonly writePermission: string | undefined
  /** Of the permits that its calls take from the request budgets of agents. */
  readonly budgetPriority: Priority
  readonly deadlineMs: number
  /** Requests in flight at the same time. */
  readonly maxInFlight: number
  readonly maxRequestBytes: number
  readonly maxResponseBytes: number
  readonly pollMs: number
}

/** Already used as upstream names in metrics. */
const RESERVED_NAMES = ['evolution']

/** Reads JSON or YAML. `ownAudience` is the audience of the tokens that the console accepts. */
export function readServicesFile(path: string, ownAudience: string): Service[] {
  const file = parse(path)
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false, verbose: true })
  const isServicesFile = ajv.compile<ServicesFile>(ServicesFile)
  if (!isServicesFile(file)) {
    throw new SettingInvalid((isServicesFile.errors ?? []).map((error) => describe(error, file)))
  }
  const { services } = file
  const errors = [
    ...services.flatMap((entry) => checkEntry(entry, ownAudience)),
    ...checkNames(services),
    ...findPrefixConflicts(services),
  ]
  if (errors.length > 0) throw new SettingInvalid(errors)
  return services.map(toService)
}

function parse(path: string): unknown {
  try {
    return parseYaml(readFileSync(path, 'utf8'))
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new SettingInvalid([`cannot be read as JSON or YAML: ${reason}`])
  }
}

function describe({ instancePath, keyword, params, parentSchema }: ErrorObject, file: unknown): string {
  const [, list, index, ...place] = instancePath.split('/')
  const entry = list === 'services' && index !== undefined
  const name = entry && (file as { services: Record<string, unknown>[] }).services[Number(index)]?.['name']
  const where = entry ? `service ${typeof name === 'string' ? name : Number(index) + 1}: ` : ''
  const field = place.length > 0 ? `\`${place.join('.')}\` ` : ''
  if (keyword === 'required') {
    const missing = String(params['missingProperty'])
    const { description } = (parentSchema as TObject).properties[missing] as { description?: string }
    return `${where}${field}has no \`${missing}\`, which must be ${description}`
  }
  if (keyword === 'additionalProperties') {
    return `${where}${field}has an unknown field \`${params['additionalProperty']}\``
  }
  const description = (parentSchema as { description?: string }).description
  return `${where}${field}must be ${description}`
}

/** What the schema does not check. */
function checkEntry(entry: ServiceEntry, ownAudience: string): string[] {
  const { name, url, document, token, audience = name, insecure_http: isInsecure = false } = entry
  const errors: string[] = []
  if (RESERVED_NAMES.includes(name)) errors.push('the name is taken by the console')
  if (!isPlainUrl(url)) {
    errors.push('`url` must start with https:// or http:// and have no credentials, query or fragment')
  } else if (!isHttp(documentUrlOf(url, document))) {
    errors.push('`document` must be a URL that starts with https:// or http://, or a path')
  } else if (!isInsecure && [url, documentUrlOf(url, document)].some(isUnencrypted)) {
    errors.push(
      'http:// to another machine lets the network read and change requests with their tokens; use https://, or add ' +
        '`insecure_http: true` if you trust the network',
    )
  }
  if (token !== 'pass' && audience === ownAudience) {
    errors.push(
      `the audience ${audience} is AUTH_AUDIENCE: the service could use its tokens at the console; ` +
        'set another `audience`',
    )
  }
  if (token === 'pass' && entry.audience !== undefined) {
    errors.push('`audience` has no effect with `token: pass`; remove it')
  }
  return errors.map((error) => `service ${name}: ${error}`)
}

/** Two services must not publish the same name in the combined document. */
function checkNames(services: readonly ServiceEntry[]): string[] {
  const names = services.map(({ name }) => name)
  const errors = names.flatMap((name, index) =>
    names.slice(0, index).flatMap((other) => {
      if (name === other) return [`has two services with the name ${name}`]
      if (!canPublishSameName(name, other)) return []
      return [`has the services ${other} and ${name}, which could publish the same name in the document`]
    }),
  )
  return [...new Set(errors)]
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && ['https:', 'http:'].includes(new URL(url).protocol)
}

/** Parts of a URL that would be ignored are refused. */
function isPlainUrl(url: string): boolean {
  if (!isHttp(url)) return false
  const { username, password, search, hash } = new URL(url)
  return username + password + search + hash === ''
}

/** A path lies under the base URL, even if it begins with a slash. */
function documentUrlOf(url: string, document = 'openapi.json'): string {
  if (/^[a-z][a-z0-9+.-]*:/i.test(document)) return document
  return `${url.replace(/\/+$/, '')}/${document.replace(/^\/+/, '')}`
}

function toService(entry: ServiceEntry): Service {
  const { name, tag, url, prefixes, token } = entry
  return {
    name,
    tag,
    url,
    prefixes,
    token,
    documentUrl: documentUrlOf(url, entry.document),
    audience: entry.audience ?? name,
    readPermission: entry.read_permission,
    writePermission: entry.write_permission,
    budgetPriority: entry.budget_priority ?? 'interactive',
    deadlineMs: entry.deadline_ms ?? 5_000,
    maxInFlight: entry.max_in_flight ?? 256,
    maxRequestBytes: entry.max_request_bytes ?? 10 * 1024 * 1024,
    maxResponseBytes: entry.max_response_bytes ?? Number.POSITIVE_INFINITY,
    pollMs: (entry.poll_seconds ?? 30) * 1_000,
  }
}
