import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Failure } from '../failure.ts'

/** Undefined if there is no such file. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new Failure(`${path} cannot be read: ${error.code}.`)
  })
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw new Failure(`${path} is not valid JSON. Correct it, or delete it and log in again.`)
  }
}

/** Readers see the old file or the new one, never a part. Only the user can read it. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const beside = `${path}.${randomUUID()}`
  try {
    await writeFile(beside, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(beside, path)
  } catch (error) {
    await rm(beside, { force: true })
    throw new Failure(`${path} cannot be written: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
