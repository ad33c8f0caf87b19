import { readFile } from 'node:fs/promises'
import { Failure, UsageError } from '../failure.ts'
import type { Io } from '../io.ts'

/** The text of a file; `-` is standard input. Editors of Windows begin files with a byte order mark. */
export async function readText(path: string, { stdin }: Pick<Io, 'stdin'>): Promise<string> {
  const text = path === '-' ? await stdin.readAll() : await readFile(path, 'utf8').catch(cannotRead(path))
  return text.replace(/^\ufeff/, '')
}

/** An object in JSON or YAML. */
export async function readObject(path: string, io: Pick<Io, 'stdin'>): Promise<Record<string, unknown>> {
  const value = await parseValue(await readText(path, io), path === '-' ? 'Standard input' : path)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Failure(`${path === '-' ? 'Standard input' : path} must hold one object.`)
  }
  return value as Record<string, unknown>
}

/** JSON is read as JSON, so that its errors are those that the user expects. */
export async function parseValue(text: string, what: string): Promise<unknown> {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // Flow style of YAML, such as [a, b], begins like JSON.
    }
  }
  const { parse } = await import('../output/yaml.ts')
  try {
    return parse(text, { maxAliasCount: 100, prettyErrors: true }) as unknown
  } catch (error) {
    throw new Failure(`${what} is neither JSON nor YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

const cannotRead = (path: string) => (error: NodeJS.ErrnoException) => {
  const reason = error.code === 'ENOENT' ? 'there is no such file' : error.code
  throw new UsageError(`${path} cannot be read: ${reason}.`)
}

export function requireFile(path: string | undefined): string {
  if (path === undefined) throw new UsageError('Give the file: -f FILE, or -f - for standard input.')
  return path
}
