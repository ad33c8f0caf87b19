import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateDocuments } from './openapi.ts'

/** Fails when a committed document is not the one the code declares. */
const folder = process.argv[2] ?? join(import.meta.dirname, '..')

for (const [file, text] of Object.entries(await generateDocuments())) {
  if ((await readFile(join(folder, file), 'utf8')) === text) continue
  process.stderr.write(
    `${file} differs from what the code declares. It is generated: run \`npm run openapi\` and commit the result.\n`,
  )
  process.exitCode = 1
}
