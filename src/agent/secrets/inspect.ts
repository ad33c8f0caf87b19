import type { Caller } from '../../api/caller.ts'
import {
  PermissionMissing,
  RequestValidationError,
  type ValidationError,
  valueError,
} from '../../api/problem.ts'
import {
  containsCredential,
  hasUserInfo,
  isCredentialHeader,
  isPlaceholder,
  isRandomSecret,
} from '../../platform/crypto/credentials.ts'
import type { NamedSecrets, StoredAgent } from '../change.ts'
import type { Columns } from '../change-statement.ts'
import { URL_FIELDS } from '../fields.ts'
import type { Agent } from '../schema.ts'
import type { SecretChanges } from './secret-change.ts'

type Path = readonly (string | number)[]

interface Fault {
  path: Path
  reason: string
}

/** What the values of an agent say about credentials. */
interface Findings {
  /** Values that are not accepted. */
  faults: Fault[]
  /** The names of the secrets that `{"$secret": name}` refers to, each with its first place. */
  references: Map<string, Path>
  /** JSON pointers to values that look like credentials, percent-encoded. */
  warnings: string[]
}

/** More are not reported. */
const MAX_FAULTS = 100
const MAX_WARNINGS = 50

const USER_INFO =
  'a URL must not contain a user name or a password; store it with PUT ' +
  '/v1/agent-configurations/{id}/secrets/{name} and refer to it in a nested field as {"$secret": name}'
const NOT_A_REFERENCE = '$secret must be the only member of its object, and the name of a secret of the agent'

/** Inspects the values of fields, nested ones included, in one pass. */
export function inspect(values: Record<string, unknown>): Findings {
  const findings: Findings = { faults: [], references: new Map(), warnings: [] }
  const path: (string | number)[] = []

  const { warnings } = findings
  const canWarn = () => warnings.length < MAX_WARNINGS
  const refuse = (reason: string) => {
    if (findings.faults.length < MAX_FAULTS) findings.faults.push({ path: path.map(showSegment), reason })
  }
  /** `name` is that of the member, or of the list that contains the text. */
  const visitText = (text: string, name: string) => {
    const isUrl = text.includes('@') && URL_FIELDS.has(path.map(toPattern).join('.'))
    if (isUrl && hasUserInfo(text)) refuse(USER_INFO)
    else if (canWarn() && (containsCredential(text) || isSecretMember(path, name, text))) {
      warnings.push(toPointer(path))
    }
  }
  const visit = (value: unknown, name: string) => {
    if (typeof value === 'string') return visitText(value, name)
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) return value.forEach((item, index) => visitMember(index, item, name))
    if (Object.hasOwn(value, '$secret')) return visitReference(value as { $secret: unknown })
    for (const [member, content] of Object.entries(value)) {
      visitMember(member, content, headerName(value, member) ?? member)
    }
  }
  const visitMember = (segment: string | number, value: unknown, name: string) => {
    path.push(segment)
    if (typeof segment === 'string' && canWarn() && containsCredential(segment))
      warnings.push(toPointer(path))
    visit(value, name)
    path.pop()
  }
  const visitReference = (reference: { $secret: unknown }) => {
    const { $secret: name } = reference
    if (typeof name !== 'string' || Object.keys(reference).length > 1) refuse(NOT_A_REFERENCE)
    else if (!findings.references.has(name)) findings.references.set(name, path.map(showSegment))
  }

  for (const [field, value] of Object.entries(values)) visitMember(field, value, field)
  return findings
}

/** Throws for values that are not accepted, and for references to secrets that the agent does not have. */
export function refuseFaults(
  { faults, references }: Findings,
  namedSecrets: NamedSecrets,
  toError: (fault: Fault) => ValidationError = inBody,
): void {
  const missing = [...references]
    .filter(([name]) => !Object.hasOwn(namedSecrets, name))
    .map(([, path]) => ({ path, reason: 'the agent has no secret of this name; store it first' }))
  const all = [...faults, ...missing]
  if (all.length > 0) throw new RequestValidationError(all.slice(0, MAX_FAULTS).map(toError))
}

const inBody = ({ path, reason }: Fault): ValidationError => valueError(['body', ...path], reason)

/** For a restore, which has no body. */
export const inRevision = ({ path, reason }: Fault): ValidationError => ({
  loc: ['path', 'revision'],
  msg: `Value error, the revision has an invalid value at ${toPointer(path)}: ${reason}`,
  type: 'value_error',
})

/** The place of a reference to a named secret, or undefined. */
export function findReference(values: Record<string, unknown>, name: string): string | undefined {
  const path = inspect(values).references.get(name)
  return path && toPointer(path)
}

/** A header of MCP, or a member whose name promises a secret. */
function isSecretMember(path: Path, name: string, text: string): boolean {
  if (path.length === 1 || text === '') return false
  // The names of secrets, which a copy of an agent lacks.
  if (path[0] === 'import_metadata' && path[1] === 'left_out_secrets') return false
  const isHeader = path[0] === 'mcp_config' || path.includes('headers')
  const isSecret = (isHeader && isCredentialHeader(name)) || isRandomSecret(name, text)
  return isSecret && !isPlaceholder(text)
}

/** The name of the header in a list such as `[{"name": "Authorization", "value": …}]`. */
function headerName(object: object, member: string): string | undefined {
  if (member !== 'value') return undefined
  const { name } = object as { name?: unknown }
  return typeof name === 'string' ? name : undefined
}

const toPattern = (segment: string | number) => (typeof segment === 'number' ? '*' : segment)

const MAX_SEGMENT_LENGTH = 64
const MAX_POINTER_LENGTH = 300

/** The client chose the names of nested members: one may be a credential itself. */
function showSegment(segment: string | number): string | number {
  if (typeof segment === 'number') return segment
  return segment.length > MAX_SEGMENT_LENGTH || containsCredential(segment) ? '*' : segment
}

/** A JSON pointer (RFC 6901), percent-encoded. A long one ends with `/...`. */
function toPointer(path: Path): string {
  let pointer = ''
  for (const segment of path) {
    const name = String(showSegment(segment)).replaceAll('~', '~0').replaceAll('/', '~1')
    pointer += `/${encodeURIComponent(name.toWellFormed())}`
    if (pointer.length > MAX_POINTER_LENGTH) return `${pointer}/...`
  }
  return pointer
}

/** Which secrets the services send to which URL. */
const DESTINATIONS = [
  { secret: 'api_key', column: 'agent_url', urlOf: ({ agent_url: url }: Partial<Agent>) => url },
  {
    secret: 'github_token',
    column: 'white_box_config',
    urlOf: ({ white_box_config: config }: Partial<Agent>) => config?.repo_url,
  },
] as const

/** A client without the permission to read a secret must not have it sent to a server of its choice: it may move
 * the URL to another origin only together with the secret. `changes` is absent for a restore, which keeps the
 * secrets. */
export function requireSecretForNewOrigin(
  caller: Caller,
  { agent, fingerprints }: StoredAgent,
  columns: Columns,
  changes?: SecretChanges,
): void {
  if (caller.permissions.has('agent:secret')) return
  for (const { secret, column, urlOf } of DESTINATIONS) {
    const action = changes?.[secret].action
    const isKept = fingerprints[secret] !== null && action !== 'set' && action !== 'clear'
    if (!isKept || !(column in columns)) continue
    const url = urlOf(columns)
    if (url != null && originOf(url) !== originOf(urlOf(agent))) {
      throw new PermissionMissing('agent:secret', {
        detail:
          `The URL in ${column} would move to another origin, and the stored ${secret} would be sent there. Send ` +
          `the ${secret} ` +
          'again in the same request, or use a token with the permission agent:secret.',
      })
    }
  }
}

/** Programs read these in different ways: a browser takes `\\` for `/` and leaves out line breaks. */
// oxlint-disable-next-line no-control-regex -- the characters that browsers ignore
const AMBIGUOUS = /[\0- \\]/

/** Of a text that is no URL, or not the same URL to all programs, the whole text. */
function originOf(url: string | null | undefined): string | null {
  if (url == null || AMBIGUOUS.test(url)) return url ?? null
  const { protocol, host } = URL.parse(url) ?? {}
  return host ? `${protocol}//${host}` : url
}
