import { glob, readFile, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { Failure, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { checkDocument } from './check-document.ts'
import type { DesiredAgent, RemovedAgent } from './desired.ts'
import { parseDocuments } from './documents.ts'
import type { Fault } from './faults.ts'
import type { Project } from './project.ts'

/** What the files of a set ask for. */
export interface SetFiles {
  desired: DesiredAgent[]
  removed: RemovedAgent[]
  faults: Fault[]
  /** How many files were read. */
  files: number
  /** Only some files of the set were named: other agents of the set have files, too. */
  isPartial: boolean
}

interface NamedText {
  /** As the user names it. */
  file: string
  path: string
  text: string
}

const AT_ONCE = 16

/** Reads the files that the project names, or those that the user names, and checks all of them. An empty set is refused: a
 * wrong pattern must not look like a set that lost all its agents. */
export async function readSetFiles(
  project: Project,
  named: readonly string[],
  io: Pick<Io, 'cwd' | 'stdin'>,
): Promise<SetFiles> {
  const read = await readAnyFiles(project, named, io)
  const { desired, removed, faults } = read
  if (desired.length + removed.length + faults.length > 0) return read
  const where = named.length > 0 ? named.join(', ') : `${project.files.join(', ')} in ${project.folder}`
  throw new Failure(`There is no file of an agent: ${where}. An empty set is not compared.`)
}

/** Also if there are none yet. */
export async function readAnyFiles(
  project: Project,
  named: readonly string[],
  io: Pick<Io, 'cwd' | 'stdin'>,
): Promise<SetFiles> {
  const texts = await readTexts(project, named, io)
  const read: SetFiles = {
    ...{ desired: [], removed: [], faults: [], files: texts.length, isPartial: named.length > 0 },
  }
  for (const { file, path, text } of texts) {
    const { documents, faults } = await parseDocuments(text, file)
    read.faults.push(...faults)
    for (const document of documents) {
      const { desired, removed, faults: found } = await checkDocument(document, path, project)
      if (desired) read.desired.push(desired)
      if (removed) read.removed.push(removed)
      read.faults.push(...found)
    }
  }
  read.faults.push(...findDuplicates(read))
  return read
}

async function readTexts(project: Project, named: readonly string[], io: Pick<Io, 'cwd' | 'stdin'>) {
  if (named.includes('-')) {
    if (named.length > 1) throw new UsageError('Standard input cannot be read together with files.')
    const text = await io.stdin.readAll()
    return [{ file: 'standard input', path: join(io.cwd, 'stdin'), text }]
  }
  const paths =
    named.length > 0
      ? (await Promise.all(named.map((each) => expand(resolve(io.cwd, each), each)))).flat()
      : await findFiles(project.files, project.folder)
  const unique = [...new Set(paths)].filter((path) => path !== project.path)
  const texts: NamedText[] = []
  for (let start = 0; start < unique.length; start += AT_ONCE) {
    const read = unique.slice(start, start + AT_ONCE).map(async (path) => {
      return { file: relative(io.cwd, path), path, text: await readFile(path, 'utf8') }
    })
    texts.push(...(await Promise.all(read)))
  }
  return texts
}

/** A folder stands for the YAML files in it. */
async function expand(path: string, named: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined)
  if (!found) throw new UsageError(`${named} cannot be read: there is no such file.`)
  return found.isDirectory() ? findFiles(['**/*.{yaml,yml}'], path) : [path]
}

/** In a fixed order, without hidden folders. */
export async function findFiles(patterns: readonly string[], folder: string): Promise<string[]> {
  const paths: string[] = []
  for await (const entry of glob(patterns, { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !relative(folder, path).split(/[\\/]/).some(isHidden)) paths.push(path)
  }
  return [...new Set(paths)].toSorted()
}

const isHidden = (name: string) => (name.startsWith('.') && name !== '..') || name === 'node_modules'

function findDuplicates({ desired, removed }: Pick<SetFiles, 'desired' | 'removed'>): Fault[] {
  const all = [...desired, ...removed.map((each) => ({ ...each, line: undefined }))]
  return [...Map.groupBy(all, ({ key }) => key).values()].flatMap(([first, ...others]) =>
    others.map(({ key, file, line }) => ({
      ...{
        file,
        line,
        message: `the key ${key} is also that of ${first?.file}${first?.line ? `:${first.line}` : ''}`,
      },
    })),
  )
}
