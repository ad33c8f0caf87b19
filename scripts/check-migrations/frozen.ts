import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The SHA-256 of each migration by its file name. */
export type Hashes = Record<string, string>

export function readHashes(folder: string): Hashes {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((file) => [file, hash(readFileSync(join(folder, file)))]),
  )
}

export function hash(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex')
}

const NAME = /^(\d{4})_[a-z\d_]+\.sql$/

/** Numbers without gaps: a file that is added later cannot come before one that databases already have. */
export function findDisorder(files: string[]): string[] {
  return files.flatMap((file, index) => {
    const number = NAME.exec(file)?.[1]
    if (number === undefined) return [`${file} must be named like 0002_words_of_the_change.sql.`]
    const expected = String(index + 1).padStart(4, '0')
    if (number === expected) return []
    return [`${file} is out of order: the number ${expected} is expected there.`]
  })
}

/** A database never applies a migration again, so a changed one would make databases differ. */
export function findChanges(frozen: Hashes, found: Hashes): string[] {
  return [
    ...Object.keys(frozen)
      .filter((file) => !Object.hasOwn(found, file))
      .map((file) => `${file} is missing: databases that have it would be refused.`),
    ...Object.entries(found)
      .filter(([file, value]) => frozen[file] !== value)
      .map(([file]) =>
        Object.hasOwn(frozen, file)
          ? `${file} has changed. Add a new file. If no release contains it: npm run migrations:freeze.`
          : `${file} is not frozen. Run npm run migrations:freeze and commit the result.`,
      ),
  ]
}
