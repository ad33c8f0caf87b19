import { globSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Writes modules that each run some test files in one process: most of the time of a small file goes into loading and
 * compiling the console. The arguments: the folder of the modules, the most files in a group, patterns of test files. Name first
 * those that mostly wait: at the end nothing would run beside them. */

const RUN_IN_TURN = pathToFileURL(resolve(import.meta.dirname, 'support/run-in-turn.ts')).href

/** Files with such a name change what others import, so each is a group of its own. */
const isAlone = (file: string) => file.endsWith('.alone.test.ts')

/** The last groups get smaller: while a core runs the last large group, the others would have nothing to do. */
const SHARE_OF_REST = 1 / 4

const [folder = '', size, ...patterns] = process.argv.slice(2)
const files = [...new Set(patterns.flatMap((pattern) => globSync(pattern).toSorted()))]
const groups = files.filter(isAlone).map((file) => [file])
const others = files.filter((file) => !isAlone(file))
while (others.length > 0) {
  groups.push(others.splice(0, Math.min(Number(size), Math.ceil(others.length * SHARE_OF_REST))))
}

await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const [index, group] of groups.entries()) {
  await writeFile(
    join(folder, `${String(index + 1).padStart(2, '0')}.mjs`),
    `import { runInTurn } from '${RUN_IN_TURN}'\n\nrunInTurn(${JSON.stringify(group, null, 2)})\n`,
  )
}
