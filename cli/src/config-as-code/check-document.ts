import { dirname } from 'node:path'
import schema from '../agents/agent-schema.json' with { type: 'json' }
import { didYouMean, nearest } from '../grammar/nearest.ts'
import type { DesiredAgent, RemovedAgent, Spec } from './desired.ts'
import type { Path, SourceDocument } from './documents.ts'
import type { Fault } from './faults.ts'
import { NAME, NAME_RULE, type Project, type PruneStatus } from './project.ts'
import { readSpec } from './read-spec.ts'
import { checkValue, type Schema, withoutNull } from './schema-check.ts'
import type { SecretUse } from './secrets.ts'

const { properties, $defs } = schema as unknown as Record<'properties' | '$defs', Record<string, Schema>>
export const SPEC_FIELDS: readonly string[] = Object.keys(properties)
const MEMBERS = ['key', 'spec', 'status_on_prune']
/** What the console sets itself. */
const READ_ONLY = [
  'id',
  'team_id',
  'created_by',
  'created_at',
  'updated_at',
  'trusted_at',
  'ttt_days',
  'revision',
]

/** Fields that a creation may leave out by `null`, and that have a value ever after. A test compares them with the document. */
export const NEVER_NULL: readonly string[] = [
  ...['agent_name', 'model_name', 'hub', 'status', 'access_level', 'protocol', 'protection_status'],
  ...['rate_limit_requests_per_minute', 'delegated_agents', 'guard_manually_configured'],
  ...['import_metadata', 'capabilities', 'skills'],
]

export interface CheckedDocument {
  desired?: DesiredAgent
  removed?: RemovedAgent
  faults: Fault[]
}

/** Checks one document as far as it can be checked without the console. `path` is that of its file. */
export async function checkDocument(
  { file, isOnly, value, lineOf }: SourceDocument,
  path: string,
  project: Project,
): Promise<CheckedDocument> {
  const faults: Fault[] = []
  const refuse = (at: Path, message: string) => void faults.push({ file, line: lineOf(at), message })
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    refuse([], 'must hold an object with key and spec')
    return { faults }
  }
  for (const name of Object.keys(value).filter((each) => !MEMBERS.includes(each))) {
    const hint = SPEC_FIELDS.includes(name) ? ' Put it below spec.' : didYouMean(nearest(name, MEMBERS))
    refuse([name], `${name} is not a member of a document.${hint}`)
  }
  const { key = isOnly ? nameOf(file) : undefined, spec, status_on_prune: status } = value as Spec
  if (key === undefined) refuse([], 'a file with several documents needs a key in each')
  else if (typeof key !== 'string' || !NAME.test(key)) {
    const what = Object.hasOwn(value, 'key')
      ? 'key'
      : `${nameOf(file)}, the name of the file, cannot be the key:`
    refuse(['key'], `${what} must be ${NAME_RULE}`)
  }
  if (status !== undefined && status !== 'archived' && status !== 'delete') {
    refuse(['status_on_prune'], 'status_on_prune is archived or delete')
  }
  if (spec === undefined && status !== undefined) {
    const removed = { key: String(key), file, statusOnPrune: status as PruneStatus }
    return faults.length > 0 ? { faults } : { removed, faults }
  }
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) {
    refuse(['spec'], 'spec must be an object with the fields of the agent')
    return { faults }
  }
  const read = await readSpec(spec, { folder: dirname(path), project: project.folder })
  for (const fault of read.faults) refuse(['spec', ...fault.path], describe(fault.path, fault.message))
  // Of a value that is refused already, its type says nothing.
  const refused = read.faults.map((fault) => fault.path.join('.'))
  for (const fault of checkFields(read.spec, read.secrets)) {
    if (refused.some((each) => fault.path.join('.').startsWith(each))) continue
    refuse(['spec', ...fault.path], describe(fault.path, fault.message))
  }
  if (faults.length > 0) return { faults }
  const secrets = read.secrets.map((use) => ({
    ...{ ...use, folder: dirname(path), file, line: lineOf(['spec', ...use.path]) },
  }))
  return { desired: { key: String(key), file, line: lineOf([]), spec: read.spec, secrets }, faults }
}

const nameOf = (file: string) => (file.split(/[\\/]/).at(-1) ?? '').replace(/\.[^.]*$/, '')

const describe = (path: Path, message: string) =>
  path.length === 0 ? message : `${path.join('.')} ${message}`

function checkFields(spec: Spec, secrets: readonly Pick<SecretUse, 'path'>[]) {
  return Object.entries(spec).flatMap(([field, value]) => {
    const known = Object.hasOwn(properties, field) ? properties[field] : undefined
    if (!known) return [{ path: [field], message: unknownField(field) }]
    if (value === null && NEVER_NULL.includes(field)) {
      return [{ path: [field], message: 'cannot be null. Leave it out, or give a value' }]
    }
    const own = NEVER_NULL.includes(field) ? withoutNull(known) : known
    return checkValue(withoutSecrets(value, field, secrets), own, [field], $defs)
  })
}

function unknownField(field: string): string {
  if (field === 'trust_stage') return 'is not set by files. Use: agent-console agents stage'
  if (READ_ONLY.includes(field)) return 'is read-only: the console sets it'
  return `is not a field of an agent.${didYouMean(nearest(field, SPEC_FIELDS))}`
}

/** The secret itself is read later, and is a text. */
function withoutSecrets(value: unknown, field: string, secrets: readonly Pick<SecretUse, 'path'>[]): unknown {
  const use = secrets.find(({ path }) => path[0] === field)
  if (!use) return value
  const [, member] = use.path as string[]
  return member === undefined ? '' : { ...(value as object), [member]: '' }
}
