import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Hooks {
  after: (work: () => void) => void
}

/** A folder with migrations, by their file names. */
export function migrationFolder(t: Hooks, files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'console-migrations-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

/** Tables like those of the console, in a form that is created quickly. */
export const SMALL_BASELINE = `-- Up Migration
CREATE TABLE agents (
  id uuid PRIMARY KEY,
  name text,
  revision integer NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX agents_by_name ON agents (name);
CREATE TABLE delivery (is_only_row boolean PRIMARY KEY, epoch bigint NOT NULL);
`
