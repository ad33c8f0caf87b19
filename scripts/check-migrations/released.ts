import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The SHA-256 of each migration by its file name. */
type Hashes = Record<string, string>

/** The migrations that a release contains. */
const RELEASED = join(import.meta.dirname, 'released.json')

export function readHashes(folder: string): Hashes {
  return Object.fromEntries(
    readdirSync(folder)
      .toSorted()
      .map((file) => [
        file,
        createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex'),
      ]),
  )
}

export function readReleased(): Hashes {
  return JSON.parse(readFileSync(RELEASED, 'utf8')) as Hashes
}

/** A release contains the migrations of the folder: they can never change again. */
export function writeReleased(folder: string): void {
  writeFileSync(RELEASED, `${JSON.stringify(readHashes(folder), undefined, 2)}\n`)
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
export function findChanges(released: Hashes, found: Hashes): string[] {
  return Object.entries(released)
    .filter(([file, hash]) => found[file] !== hash)
    .map(([file]) =>
      Object.hasOwn(found, file)
        ? `${file} has changed, and a release contains it. Add a new file.`
        : `${file} is missing: databases that have it would be refused.`,
    )
}
