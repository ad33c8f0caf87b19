import { globSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Writes modules that each run some test files in one process: most of the time of a small file goes into loading and
 * compiling the console. The arguments: the folder of the modules, the number of files in a group, patterns of test files. */

const RUN_IN_TURN = pathToFileURL(resolve(import.meta.dirname, 'support/run-in-turn.ts')).href

/** Files with such a name change what others import, so each is a group of its own. */
const isAlone = (file: string) => file.endsWith('.alone.test.ts')

const [folder = '', size, ...patterns] = process.argv.slice(2)
const groupSize = Number(size)
const files = patterns.flatMap((pattern) => globSync(pattern)).toSorted()
const others = files.filter((file) => !isAlone(file))
const groups = [
  ...files.filter(isAlone).map((file) => [file]),
  ...Array.from({ length: Math.ceil(others.length / groupSize) }, (_, n) =>
    others.slice(n * groupSize, (n + 1) * groupSize),
  ),
]

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [index, group] of groups.entries()) {
  await writeFile(
    join(folder, `${String(index + 1).padStart(2, '0')}.mjs`),
    `import { runInTurn } from '${RUN_IN_TURN}'\n\nrunInTurn(${JSON.stringify(group, null, 2)})\n`,
  )
}
