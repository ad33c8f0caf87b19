import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { typesOf } from './types.ts'

/**
 * Writes the types of a document: `main.ts [document] [output]`, by default those of the SDK. `--check` fails instead if
 * the output differs.
 */
const root = join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [document = join(root, 'openapi.json'), output = join(root, 'sdk/src/schema.ts')] = positionals

const types = await typesOf(await readFile(document, 'utf8'))
if (!values.check) {
  await writeFile(output, types)
} else if ((await readFile(output, 'utf8')) !== types) {
  process.stderr.write(`${output} is out of date. Run \`npm run codegen\` and commit the result.\n`)
  process.exitCode = 1
}
