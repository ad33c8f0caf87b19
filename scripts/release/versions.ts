import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A place of the version. The server, the SDK, the command line, the Python client and the documents have one version: a tag names
 * all of them, and `agent-console version --check` compares them. */
interface Place {
  file: string
  /** Its first group is the version. */
  pattern: RegExp
}

const OWN = /^ {2}"version": "([^"]+)"/m
const DEPENDENCY = /"@agent-console\/sdk": "([^"]+)"/
const DOCUMENT = /^ {2}"info": \{[^{}]*?"version": "([^"]+)"/m
const locked = (folder: string) => new RegExp(`^ {4}"${folder}": \\{\\n.*\\n {6}"version": "([^"]+)"`, 'm')
const lockedDependency = (folder: string) =>
  new RegExp(`^ {4}"${folder}": \\{\\n(?: {6}.*\\n)*? {8}"@agent-console/sdk": "([^"]+)"`, 'm')

const PLACES: readonly Place[] = [
  { file: 'package.json', pattern: OWN },
  { file: 'package-lock.json', pattern: OWN },
  { file: 'package-lock.json', pattern: locked('') },
  ...['sdk', 'cli'].map((folder) => ({ file: 'package-lock.json', pattern: locked(folder) })),
  ...['cli', 'web'].map((folder) => ({ file: 'package-lock.json', pattern: lockedDependency(folder) })),
  ...['sdk', 'cli'].map((folder) => ({ file: `${folder}/package.json`, pattern: OWN })),
  ...['cli', 'web'].map((folder) => ({ file: `${folder}/package.json`, pattern: DEPENDENCY })),
  ...['sdk', 'cli'].map((folder) => ({
    file: `${folder}/src/version.ts`,
    pattern: /^export const VERSION = '([^']+)'/m,
  })),
  { file: 'python/agent_console.py', pattern: /^VERSION = "([^"]+)"/m },
  { file: 'src/api/operation.ts', pattern: /^export const API_VERSION = '([^']+)'/m },
  { file: 'openapi.json', pattern: DOCUMENT },
  { file: 'asyncapi.json', pattern: DOCUMENT },
  { file: 'Dockerfile', pattern: /^ARG VERSION=(\S+)/m },
]

/** The version of the root package, and each place that has another one. */
export async function readVersions(root: string): Promise<{ version: string; faults: string[] }> {
  const found = await Promise.all(
    PLACES.map(async ({ file, pattern }) => ({
      file,
      version: pattern.exec(await readFile(join(root, file), 'utf8'))?.[1],
    })),
  )
  const version = found[0]?.version ?? ''
  const faults = found
    .filter((place) => place.version !== version)
    .map((place) => `${place.file}: ${place.version ?? 'no version'} instead of ${version}`)
  return { version, faults }
}

export async function writeVersion(root: string, version: string): Promise<void> {
  for (const { file, pattern } of PLACES) {
    const path = join(root, file)
    const text = await readFile(path, 'utf8')
    const match = pattern.exec(text)
    if (!match?.[1]) throw new Error(`${file} has no version`)
    const end = match.index + match[0].length
    // What follows the version within the match is a quotation mark or nothing.
    const start = text.lastIndexOf(match[1], end)
    await writeFile(path, text.slice(0, start) + version + text.slice(start + match[1].length))
  }
}

/** Undefined if the text is not a version of Semantic Versioning without build metadata. */
export function parseVersion(text: string): [major: number, minor: number, patch: number] | undefined {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)(?:-[0-9A-Za-z.-]+)?$/.exec(text) ?? []
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)]
}

/** Whether clients of the earlier version must expect breaking changes. Before 1.0.0 a minor version may break. */
export function mayBreak(from: string, to: string): boolean {
  const [before, after] = [parseVersion(from), parseVersion(to)]
  if (!before || !after) return false
  return before[0] !== after[0] || (after[0] === 0 && before[1] !== after[1])
}
