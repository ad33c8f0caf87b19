import { readFile } from 'node:fs/promises'
import { generateDocument } from './openapi.ts'

/** Fails when the committed document is not the one the code declares. */
const file = process.argv[2] ?? new URL('../openapi.json', import.meta.url)

if ((await readFile(file, 'utf8')) !== (await generateDocument())) {
  process.stderr.write(
    'openapi.json differs from what the code declares. It is generated: run `npm run openapi` and commit the result.\n',
  )
  process.exit(1)
}
