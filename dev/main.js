// `npm run dev` begins here, in JavaScript that every Node reads, so that an old one can say what is needed.
import { mkdirSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname ?? '.', '..')
const { engines } = module.createRequire(import.meta.url)('../package.json')
const needed = Number(/\d+/.exec(engines.node)[0])

if (Number(process.versions.node.split('.')[0]) < needed) {
  fail(`Node ${needed} or newer is needed: https://nodejs.org. This is Node ${process.versions.node}.`)
}
const folder = process.env.DEV_FOLDER || join(ROOT, '.dev')
try {
  // Before the cache, which would let everybody read the folder.
  mkdirSync(folder, { recursive: true, mode: 0o700 })
} catch ({ message }) {
  fail(`The folder of npm run dev cannot be made: ${message}. DEV_FOLDER names another.`)
}
// The next start compiles nothing.
module.enableCompileCache(join(folder, 'cache'))
await import('./main.ts').catch((error) => {
  if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/package/.test(error.message)) throw error
  fail('The packages are not installed. Run: npm ci')
})

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
