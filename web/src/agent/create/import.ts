import type { AgentCreate } from '@agent-console/sdk'
import type { Source } from '../fields/form.ts'
import { DELEGATES, FIELDS, SECRETS, splitPath } from '../fields/table.ts'
import { isObject, parseJson } from '../fields/text.ts'

/** Set on creation only; the form does not show them. */
export const ONLY_ON_CREATION = ['import_metadata', 'capabilities', 'skills'] as const

export interface Imported {
  /** What the agent is made from. */
  source: Source
  /** Names of the members that are taken. */
  taken: string[]
  /** Names of the members that a new agent cannot have. */
  ignored: string[]
  /** Secrets that were left out: they must not lie in a draft. */
  secrets: string[]
}

const KNOWN = new Set<string>([
  ...FIELDS.map(({ path }) => splitPath(path).top),
  DELEGATES.name,
  ...ONLY_ON_CREATION,
])

/** Reads an agent as the API writes it, or the body of a creation. */
export function readImport(text: string): Imported | { fault: string } {
  const parsed = parseJson(text)
  if ('fault' in parsed) return parsed
  if (!isObject(parsed.value))
    return { fault: 'The text must be one JSON object: the configuration of an agent.' }
  const members = Object.entries(parsed.value)
  const secrets = SECRETS.filter((path) => hasMember(parsed.value, path))
  const taken = members.filter(([name, value]) => KNOWN.has(name) && value !== null)
  const delegates = parsed.value[DELEGATES.name] ?? []
  if (!Array.isArray(delegates) || !delegates.every(isObject)) {
    return { fault: `${DELEGATES.name} must be a list of objects.` }
  }
  return {
    source: withoutSecrets(Object.fromEntries(taken)),
    taken: taken.map(([name]) => name),
    ignored: members.map(([name]) => name).filter((name) => !KNOWN.has(name) && !SECRETS.includes(name)),
    secrets: secrets.map((path) => path.replace('/', '.')),
  }
}

function hasMember(value: unknown, path: string): boolean {
  const { top, member } = splitPath(path)
  const own = isObject(value) ? value[top] : undefined
  const found = member === undefined ? own : isObject(own) ? own[member] : undefined
  return found !== undefined && found !== null
}

function withoutSecrets(source: Record<string, unknown>): Source {
  const config = source['white_box_config']
  if (!isObject(config)) return source
  const { github_token: _, ...rest } = config
  return { ...source, white_box_config: rest }
}

/** The body of the creation: what was imported, with the edits of the form. */
export function toCreate(source: Source, update: object): AgentCreate {
  return { ...source, ...update } as AgentCreate
}
