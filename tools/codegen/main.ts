import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agentSchemaOf } from './agent-schema.ts'
import { withPythonTypes } from './python-types.ts'
import { typesOf } from './types.ts'

/**
 * Writes the types of a document: `main.ts [document] [output]`. Without arguments it writes what the workspaces need of
 * the document of the console. `--check` fails instead if an output differs.
 */
const root = join(import.meta.dirname, '../..')
const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [source = join(root, 'openapi.json'), named] = positionals
const pythonClient = join(root, 'python/agent_console.py')
const document = await readFile(source, 'utf8')

const outputs: [path: string, text: string][] = named
  ? [[named, await typesOf(document)]]
  : [
      [join(root, 'sdk/src/schema.ts'), await typesOf(document)],
      [join(root, 'cli/src/agents/agent-schema.json'), agentSchemaOf(document)],
      [pythonClient, withPythonTypes(await readFile(pythonClient, 'utf8'), document)],
    ]

for (const [output, text] of outputs) {
  if (!values.check) {
    await writeFile(output, text)
  } else if ((await readFile(output, 'utf8')) !== text) {
    process.stderr.write(`${output} is out of date. Run \`npm run generate\` and commit the result.\n`)
    process.exitCode = 1
  }
}
