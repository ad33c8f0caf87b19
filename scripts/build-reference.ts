import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'

/** Writes the script of the API reference, with its licence. `npm ci` and `npm run build:web` run it. Without development
 * packages it leaves the script that is there. */
const TARGET = fileURLToPath(new URL('../dist/reference.js', import.meta.url))
const PACKAGE = '@scalar/fastify-api-reference'

const isInstalled = () => {
  try {
    return import.meta.resolve(PACKAGE) !== ''
  } catch {
    return false
  }
}

/** The package offers the script only through a route of its Fastify plugin. */
async function readScript(): Promise<string> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = Fastify()
  await app.register(scalar, { routePrefix: '/', configuration: { url: '/openapi.json' } })
  const { body } = await app.inject('/js/scalar.js')
  await app.close()
  return body
}

if (isInstalled()) {
  const folder = dirname(dirname(fileURLToPath(import.meta.resolve(PACKAGE))))
  const licence = await readFile(join(folder, 'LICENSE'), 'utf8')
  await mkdir(dirname(TARGET), { recursive: true })
  await writeFile(TARGET, `/*!\n${licence}*/\n${await readScript()}`)
}
