import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, relative, resolve, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Failure } from '../failure.ts'
import type { Spec } from './desired.ts'
import { SCHEMA_FILE } from './project.ts'

/** Writes the file of an agent. Rejects with `EEXIST` if there is a file at the path: it may have what the user wrote. */
export async function writeDocument(path: string, key: string, spec: Spec, project: string): Promise<void> {
  const schema = relative(dirname(path), resolve(project, SCHEMA_FILE)).split(sep).join('/')
  const text = `# yaml-language-server: $schema=${schema}\n${await toText({ key, spec })}`
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx')
  try {
    await file.writeFile(text)
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** The file must say exactly what was read. A line break of another kind does not survive a block of text, and quotes keep it. */
async function toText(value: object): Promise<string> {
  const { parse, stringify } = await import('../output/yaml.ts')
  const text = stringify(value, { lineWidth: 0 })
  if (isDeepStrictEqual(parse(text), value)) return text
  return stringify(value, { lineWidth: 0, defaultStringType: 'QUOTE_DOUBLE', blockQuote: false })
}

/** Puts the values of `spec` into a document that exists, and keeps its comments, its `$file`s and the sources of its secrets.
 * `before` is what the document asks for, with the texts of its files. */
export async function updateDocument(path: string, key: string, spec: Spec, before: Spec): Promise<void> {
  const { parseAllDocuments } = await import('../output/yaml.ts')
  const documents = [parseAllDocuments(await readFile(path, 'utf8'))].flat()
  const found = documents.find((document) => document.get('key') === key) ?? documents[0]
  if (!found) throw new Failure(`${path} has no document with the key ${key}.`)
  const { spec: written = {} } = found.toJS() as { spec?: Spec }
  for (const field of Object.keys(written).filter((name) => !Object.hasOwn(spec, name)))
    found.deleteIn(['spec', field])
  for (const [field, value] of Object.entries(spec)) {
    const current = written[field]
    const file = fileOf(current)
    if (file !== undefined && typeof value === 'string') {
      // Documents may share a file: one without a change must not undo that of another one.
      if (value !== before[field]) await writeFile(resolve(dirname(path), file), `${value}\n`)
    } else {
      const kept = keepSource(current, value)
      if (!isDeepStrictEqual(current, kept)) found.setIn(['spec', field], found.createNode(kept))
    }
  }
  await writeFile(path, documents.map((document) => document.toString({ lineWidth: 0 })).join(''))
}

function fileOf(value: unknown): string | undefined {
  const { $file: file } = Object(value) as { $file?: unknown }
  return typeof file === 'string' ? file : undefined
}

/** A secret stays where it comes from. */
function keepSource(current: unknown, value: unknown): unknown {
  const [before, after] = [Object(current), Object(value)] as Record<string, unknown>[]
  if (before && Object.hasOwn(before, '$secret') && after && Object.hasOwn(after, '$secret')) return current
  const source = before?.['github_token']
  const hasToken =
    after !== undefined && typeof after['github_token'] === 'object' && after['github_token'] !== null
  return hasToken && typeof source === 'object' && source !== null
    ? { ...after, github_token: source }
    : value
}
