import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { isMask } from '../agents/mask.ts'
import type { Io } from '../io.ts'
import type { Path } from './documents.ts'
import type { Fault } from './faults.ts'

export type SecretSource = { env: string } | { file: string } | { command: string[] }

/** A place of a spec that gets a secret. */
export interface SecretUse {
  path: Path
  source: SecretSource
  /** Files are relative to it. */
  folder: string
  file: string
  line: number
}

/** Undefined if it is none. */
export function readSource(value: unknown): SecretSource | undefined {
  const members = Object.entries(Object(value) as Record<string, unknown>)
  const [[kind, given] = []] = members
  if (members.length !== 1) return undefined
  if (kind === 'env' && typeof given === 'string' && /^[A-Za-z_]\w*$/.test(given)) return { env: given }
  if (kind === 'file' && typeof given === 'string' && given !== '') return { file: given }
  const isCommand =
    Array.isArray(given) && given.length > 0 && given.every((word) => typeof word === 'string')
  return kind === 'command' && isCommand ? { command: given } : undefined
}

/** Without the arguments of a command: they may be secret, too. */
export function describeSource(source: SecretSource): string {
  if ('env' in source) return `env ${source.env}`
  return 'file' in source ? `file ${source.file}` : `command ${source.command[0]}`
}

/** The resolved secrets. Private, so that no printed object shows them. */
export class Secrets {
  readonly #values = new Map<string, string>()

  /** The spec as it is sent. */
  reveal(spec: Record<string, unknown>, uses: readonly SecretUse[]): Record<string, unknown> {
    const filled = { ...spec }
    for (const use of uses) {
      const value = this.#values.get(identify(use))
      const [field = '', member] = use.path as string[]
      filled[field] = member === undefined ? value : { ...(filled[field] as object), [member]: value }
    }
    return filled
  }

  /** Reads each source once. Returns what cannot be read, all of it. */
  async resolve(uses: readonly SecretUse[], io: Pick<Io, 'env' | 'readOutput' | 'signal'>): Promise<Fault[]> {
    const faults: Fault[] = []
    // One after the other: a command may ask the user.
    for (const [id, same] of Map.groupBy(uses, identify)) {
      io.signal.throwIfAborted()
      const [use] = same
      if (!use) continue
      const { value, fault } = await readSecret(use, io)
      if (value !== undefined) this.#values.set(id, value)
      for (const { file, line, source } of fault === undefined ? [] : same) {
        faults.push({ file, line, message: `the secret from ${describeSource(source)} ${fault}` })
      }
    }
    return faults
  }
}

const identify = ({ source, folder }: SecretUse) =>
  JSON.stringify('file' in source ? { file: resolve(folder, source.file) } : source)

async function readSecret(
  { source, folder }: SecretUse,
  io: Pick<Io, 'env' | 'readOutput'>,
): Promise<{ value?: string; fault?: string }> {
  let value: string | undefined
  try {
    if ('env' in source) value = io.env[source.env]
    else if ('file' in source) value = await readFile(resolve(folder, source.file), 'utf8')
    else value = await io.readOutput(source.command[0] ?? '', source.command.slice(1))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { fault: `cannot be read: ${code ?? ('command' in source ? message : 'error')}` }
  }
  if (value === undefined) return { fault: 'is not set' }
  // Files and programs end with the end of a line.
  const text = 'env' in source ? value : value.replace(/\r?\n$/, '')
  if (text === '') return { fault: 'is empty' }
  if (isMask(text)) return { fault: 'is a mask, not a secret' }
  return { value: text }
}
