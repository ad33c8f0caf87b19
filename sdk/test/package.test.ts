import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { build } from 'vite'
import { VERSION } from '../src/index.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const SDK = join(ROOT, 'sdk')
const MAX_COMPRESSED_BYTES = 6_000

const manifest = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as {
  version: string
  dependencies?: object
}

describe('the source of the SDK', () => {
  it('has the version of its package', () => assert.equal(VERSION, manifest.version))

  it('imports nothing but itself', () => {
    assert.equal(manifest.dependencies, undefined)
    for (const file of globSync('src/**/*.ts', { cwd: SDK })) {
      const text = readFileSync(join(SDK, file), 'utf8')
      for (const [, specifier = ''] of text.matchAll(/(?:from|import) '([^']+)'/g)) {
        assert.match(specifier, /^\.{1,2}\//, `${file} imports ${specifier}`)
        const target = relative(join(SDK, 'src'), join(SDK, dirname(file), specifier))
        assert.ok(!target.startsWith('..'), `${file} imports ${specifier}`)
      }
    }
  })

  it(`is at most ${MAX_COMPRESSED_BYTES} bytes, minified and compressed`, async (t) => {
    const built = await build({
      ...{ root: SDK, configFile: false, logLevel: 'error' },
      build: {
        lib: { entry: join(SDK, 'src/index.ts'), formats: ['es'] },
        ...{ write: false, minify: true, target: 'es2024' },
        rolldownOptions: { output: { minify: true } },
      },
    })
    const [output] = [built].flat()
    assert.ok(output && 'output' in output)
    const code = output.output[0].code
    const { length } = gzipSync(code, { level: 9 })
    t.diagnostic(`${code.length} bytes, ${length} compressed`)
    assert.ok(length <= MAX_COMPRESSED_BYTES, `${length} bytes`)
  })
})

describe('the package of the SDK', () => {
  before(async () => {
    await rm(join(SDK, 'dist'), { recursive: true, force: true })
    await run(process.execPath, [join(ROOT, 'node_modules/.bin/tsc'), '-p', SDK])
  })

  it('has no fault that publint finds', async () => {
    const { messages, pkg } = await publint({ pkgDir: SDK, strict: true })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    )
  })

  it('has types that every module resolution finds', async () => {
    const attw = join(ROOT, 'node_modules/.bin/attw')
    const options = ['--pack', SDK, '--profile', 'esm-only', '--format', 'ascii', '--no-color']
    await assert.doesNotReject(run(process.execPath, [attw, ...options], { cwd: SDK }))
  })

  for (const [name, compiler] of [
    ['our compiler', 'node_modules/typescript'],
    ['TypeScript 5.9', 'tools/codegen/node_modules/typescript'],
  ] as const) {
    it(`compiles in a program of a consumer with ${name}`, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'sdk-consumer-'))
      t.after(() => rm(folder, { recursive: true }))
      await mkdir(join(folder, 'node_modules/@agent-console'), { recursive: true })
      await symlink(SDK, join(folder, 'node_modules/@agent-console/sdk'))
      await writeFile(join(folder, 'package.json'), '{"type": "module"}')
      await writeFile(join(folder, 'program.ts'), PROGRAM)
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS))
      const tsc = join(ROOT, compiler, 'bin/tsc')
      const { stdout } = await run(process.execPath, [tsc, '-p', folder]).catch(
        ({ stdout }: { stdout: string }) => ({ stdout }),
      )
      assert.equal(stdout, '')
    })
  }
})

const PROGRAM = `
import { Console, NotFound } from '@agent-console/sdk'
const client = new Console({ baseUrl: 'https://example.com', token: 't' })
const { agent, revision } = await client.agents.get('x')
const name: string = agent.agent_name
const next: number = revision + 1
// @ts-expect-error -- the types are real
const wrong: number = agent.agent_name
export { name, next, NotFound, wrong }
`
const SETTINGS = {
  compilerOptions: {
    ...{
      target: 'es2024',
      module: 'nodenext',
      lib: ['es2024', 'dom', 'dom.iterable', 'esnext.asynciterable'],
    },
    ...{ strict: true, noEmit: true, types: [], exactOptionalPropertyTypes: true },
  },
}
