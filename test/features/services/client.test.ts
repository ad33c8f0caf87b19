import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { typesOf } from '../../../tools/codegen/types.ts'
import { closeAfter } from '../../support/close-after.ts'
import { startConsoleWithDemos } from '../../support/demos.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../../..')

describe('the SDK with types of the combined document', async () => {
  const demos = await startConsoleWithDemos()
  closeAfter(() => demos.close())
  const folder = await mkdtemp(join(tmpdir(), 'console-client-'))
  closeAfter(() => rm(folder, { recursive: true }))

  it('holds under our own compiler settings, and calls an operation of the console and of each service', async () => {
    const { url } = demos.running
    await writeFile(
      join(folder, 'schema.ts'),
      await typesOf(await (await fetch(`${url}/openapi.json`)).text()),
    )
    const program = await readFile(join(import.meta.dirname, 'client-program.txt'), 'utf8')
    await writeFile(
      join(folder, 'program.ts'),
      program.replace("'SDK'", `'${join(ROOT, 'sdk/src/index.ts')}'`),
    )
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))

    const checked = await run(process.execPath, [join(ROOT, 'node_modules/.bin/tsc'), '-p', folder]).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    )
    assert.equal(checked.stdout, '')

    const { token, team } = await demos.running.person()
    const { stdout } = await run(process.execPath, ['program.ts'], {
      cwd: folder,
      env: { ...process.env, URL: url, TOKEN: token },
    })
    assert.deepEqual(JSON.parse(stdout), {
      agents: 0,
      team,
      member: 'ci',
      report: { size: 8, state: 'completed', text: 'a report' },
      rule: ['refund'],
      events: 2,
    })
  })
})

const settings = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
  include: ['*.ts'],
}
