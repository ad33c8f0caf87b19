import { access, readFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Failure, UsageError } from '../failure.ts'
import { didYouMean, nearest } from '../grammar/nearest.ts'
import type { Io } from '../io.ts'
import { readUrl } from '../session/connection.ts'

export const PROJECT_FILE = 'agent-console.yaml'
export const SCHEMA_FILE = '.agent-console/agent.schema.json'
export const DEFAULT_FILES = ['agents/**/*.{yaml,yml}']
/** Names of sets and keys. */
export const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/
export const NAME_RULE =
  '1 to 63 lower-case letters, digits, dots, underscores and hyphens, beginning with a letter or a digit'

export type PruneStatus = 'archived' | 'delete'

/** What `agent-console.yaml` says. */
export interface Project {
  path: string
  /** Paths in files are relative to it, and `$file` cannot leave it. */
  folder: string
  set: string
  /** The console that the set belongs to. Undefined: any. */
  url: string | undefined
  /** Patterns of the files of the agents. */
  files: readonly string[]
  /** What happens to an agent that is pruned, unless its document says otherwise. */
  statusOnPrune: PruneStatus
}

const MEMBERS = ['set', 'url', 'files', 'status_on_prune']

export async function readProject(named: string | undefined, { cwd }: Pick<Io, 'cwd'>): Promise<Project> {
  const path = named === undefined ? await findProject(cwd) : resolve(cwd, named)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${path} cannot be read: ${error.code}.`)
  })
  const { parse } = await import('../output/yaml.ts')
  let value: unknown
  try {
    value = parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new Failure(`${path}: ${(error as Error).message.split('\n')[0]}`)
  }
  return checkProject(value, path)
}

/** In the folder of the user, or the next one above that has it. */
async function findProject(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE)
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
    if (dirname(folder) === folder) {
      throw new UsageError(
        `There is no ${PROJECT_FILE} here or in a folder above. Begin with: agent-console init SET`,
      )
    }
  }
}

function checkProject(value: unknown, path: string): Project {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure(`${path} must hold an object with the name of the set.`)
  }
  const { set, url, files = DEFAULT_FILES, status_on_prune: status } = value as Record<string, unknown>
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined) {
    throw new Failure(`${path}: There is no member ${unknown}.${didYouMean(nearest(unknown, MEMBERS))}`)
  }
  if (typeof set !== 'string' || !NAME.test(set)) throw new Failure(`${path}: set must be ${NAME_RULE}.`)
  if (url !== undefined && typeof url !== 'string') throw new Failure(`${path}: url must be an address.`)
  const patterns = typeof files === 'string' ? [files] : files
  if (!Array.isArray(patterns) || !patterns.every((each) => typeof each === 'string')) {
    throw new Failure(`${path}: files must be a list of patterns, such as ${DEFAULT_FILES[0]}.`)
  }
  if (status !== undefined && status !== 'archived' && status !== 'delete') {
    throw new Failure(`${path}: status_on_prune is archived or delete.`)
  }
  return {
    ...{ path, folder: dirname(path), set, url: url === undefined ? undefined : readUrl(url) },
    ...{ files: patterns, statusOnPrune: status ?? 'archived' },
  }
}
