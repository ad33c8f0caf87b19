import { readFileSync } from 'node:fs'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import type { TObject } from 'typebox'
import { parse as parseYaml } from 'yaml'
import type { Priority } from '../../contract/request-budget.ts'
import { type ServiceEntry, ServicesFile } from '../../contract/services-file.ts'
import { SettingInvalid } from '../../platform/settings/reader.ts'
import { isUnencrypted } from '../../platform/settings/unencrypted.ts'
import type { Node } from '../document/tree.ts'
import { canPublishSameName } from './names.ts'
import { findPrefixConflicts } from './prefixes.ts'

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
  const name = entry && (file as { services: Node[] }).services[Number(index)]?.['name']
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
      `the audience ${audience} is AUTH_AUDIENCE: the service could use its tokens at the console; set another \`audience\``,
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
