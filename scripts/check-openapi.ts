import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { generateDocuments } from './openapi.ts'

/** Fails if a committed document differs from the one that the code generates. */
const folder = process.argv[2] ?? join(import.meta.dirname, '..')

for (const [file, text] of Object.entries(await generateDocuments())) {
  if ((await readFile(join(folder, file), 'utf8')) === text) continue
  process.stderr.write(`${file} is out of date. Run \`npm run generate\` and commit the result.\n`)
  process.exitCode = 1
}
