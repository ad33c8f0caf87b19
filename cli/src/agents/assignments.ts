import type { Agent } from '@agent-console/sdk'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { checkField, typesOf } from './fields.ts'
import { parseValue, readText } from './read-file.ts'
import { holdsSecret, isSecretPlace } from './secret-places.ts'

/** One `FIELD=VALUE` of the command line. */
export interface Assignment {
  field: string
  /** Members of the object below the field. */
  members: string[]
  value: unknown
}

export async function readAssignments(
  texts: readonly string[],
  io: Pick<Io, 'stdin'>,
): Promise<Assignment[]> {
  const assignments: Assignment[] = []
  for (const text of texts) {
    const [, path = '', raw] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    if (raw === undefined || path === '') throw new UsageError(`${text} is not FIELD=VALUE.`)
    const [field = '', ...members] = path.split('.')
    checkField(field)
    if (members.some((member) => member === '' || member === '__proto__')) {
      throw new UsageError(`${path} does not name a member.`)
    }
    const place = [field, ...members]
    if (isSecretPlace(place)) {
      assignments.push({ field, members, value: await readSecret(raw, path, io) })
      continue
    }
    const value = await convert(field, members, await readSource(raw, io), path)
    if (isInline(raw) && holdsSecret(place, value)) throw onCommandLine(path)
    assignments.push({ field, members, value })
  }
  return assignments
}

/** As text: the parser would change it, or quote it in an error. */
async function readSecret(raw: string, path: string, io: Pick<Io, 'stdin'>): Promise<string | null> {
  if (raw === 'null') return null
  if (isInline(raw)) throw onCommandLine(path)
  return readSource(raw, io)
}

const isInline = (raw: string) => !raw.startsWith('@') || raw.startsWith('@@')

const onCommandLine = (path: string) =>
  new UsageError(
    `Other users can read the command line, so it takes no secret. Give ${path}=@FILE, or ${path}=@- for standard input.`,
  )

async function readSource(raw: string, io: Pick<Io, 'stdin'>): Promise<string> {
  if (raw.startsWith('@@')) return raw.slice(1)
  // A file ends with the end of a line, which a key or a prompt does not have.
  return raw.startsWith('@') ? (await readText(raw.slice(1), io)).replace(/\r?\n$/, '') : raw
}

async function convert(field: string, members: string[], text: string, path: string): Promise<unknown> {
  if (members.length > 0) return parseValue(text, path)
  const types = typesOf(field)
  if (text === 'null' && types.includes('null')) return null
  // As text: a score keeps every digit.
  if (types.includes('string')) return text
  const value = await parseValue(text, path)
  if (types.includes('array') && typeof value === 'string') return value.split(',').map((item) => item.trim())
  return value
}

/** The body of the update. Members are set in a copy of the object that the agent has; only they need the agent. */
export function toUpdate(agent: Partial<Agent>, assignments: readonly Assignment[]): Record<string, unknown> {
  const update: Record<string, unknown> = {}
  for (const { field, members, value } of assignments) {
    const current = Object.hasOwn(update, field) ? update[field] : agent[field as keyof Agent]
    update[field] = setMember(current, members, value, field)
  }
  return update
}

function setMember(current: unknown, [member, ...others]: string[], value: unknown, path: string): unknown {
  if (member === undefined) return value
  const object = current ?? {}
  if (typeof object !== 'object' || Array.isArray(object)) throw new UsageError(`${path} has no members.`)
  const known = (object as Record<string, unknown>)[member]
  return { ...object, [member]: setMember(known, others, value, `${path}.${member}`) }
}
