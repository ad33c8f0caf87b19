import { MAX_SECURITY_SCHEMES } from '../../contract/a2a-card.ts'
import { type ValidationError, valueError } from '../../contract/validation-error.ts'
import { isObject } from '../rows.ts'

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
export function readSchemes(
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
export function readRequirements(
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
