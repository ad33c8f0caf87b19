import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { closeAfter } from '../../test/support/close-after.ts'
import { useConsoleWithNats } from '../../test/support/console-with-nats.ts'
import { canBeWatched } from '../../test/support/watching.ts'
import { Console } from '../src/index.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')
const README = readFileSync(join(ROOT, 'sdk/README.md'), 'utf8')

/** What an example uses without showing it. */
const DECLARED: Record<string, string> = {
  client: `const client = new Console({ baseUrl, token })`,
  id: `const { agent: { id } } = await client.agents.create({ agent_name: 'a', model_name: 'm' })`,
  print: `const print = (...values: unknown[]) => console.log(...values)`,
  readToken: `const readToken = () => token`,
  position: `let position: string | undefined = process.env['POSITION']`,
  enough: `const enough = () => true`,
}

/** Makes the state that an example needs, after its declarations. */
const PREPARED: Record<string, string> = {
  'Go back': `await client.agents.update(id, { hub: 'h' })`,
}

describe('the README of the SDK', async () => {
  const { running } = await useConsoleWithNats()
  const { token } = await running.person()
  await canBeWatched(running.url, token)
  const folder = await mkdtemp(join(tmpdir(), 'sdk-readme-'))
  closeAfter(() => rm(folder, { recursive: true }))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await symlink(join(ROOT, 'sdk/src/schema.ts'), join(folder, 'schema.ts'))
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(SETTINGS))

  const examples = [...README.matchAll(/^## \d+\. (.+)$([\s\S]*?)(?=^## )/gm)].map(
    ([, title = '', section = '']) => {
      const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(section) ?? []
      return {
        title,
        file: `${title.toLowerCase().replaceAll(' ', '-')}.ts`,
        program: toProgram(title, code),
      }
    },
  )
  for (const { file, program } of examples) await writeFile(join(folder, file), program)

  it('has ten examples that compile', async () => {
    assert.equal(examples.length, 10)
    const { stdout } = await run(process.execPath, [join(ROOT, 'node_modules/.bin/tsc'), '-p', folder]).catch(
      ({ stdout }: { stdout: string }) => ({ stdout }),
    )
    assert.equal(stdout, '')
  })

  for (const { title, file } of examples) {
    it(`has an example that runs: ${title}`, async () => {
      const POSITION = title === 'Watch changes' ? await positionBeforeAChange() : ''
      const env = { ...process.env, CONSOLE_URL: running.url, TOKEN: token, POSITION }
      await run(process.execPath, ['--conditions=agent-console-source', file], { cwd: folder, env })
    })
  }

  /** The example ends with its first event. */
  const positionBeforeAChange = async () => {
    const { agents } = new Console({ baseUrl: running.url, token })
    const { agent } = await agents.create({ agent_name: 'a', model_name: 'm' })
    const { promise: connected, resolve } = Promise.withResolvers<void>()
    const events = agents.watch({ onState: () => resolve() })
    const first = events.next()
    await connected
    await agents.update(agent.id, { hub: 'one' })
    const { value } = await first
    await events.return()
    await agents.update(agent.id, { hub: 'two' })
    return value?.id ?? ''
  }
})

function toProgram(title: string, code: string): string {
  const uses = (name: string) => new RegExp(`\\b${name}\\b`).test(code)
  const declares = (name: string) => new RegExp(`(const|let) ${name}\\b`).test(code)
  const names = Object.keys(DECLARED).filter((name) => uses(name) && !declares(name))
  if (names.includes('id') && !names.includes('client')) names.unshift('client')
  const imports = code.includes('import { Console }') ? '' : `import { Console } from '@agent-console/sdk'\n`
  const surroundings = `const { CONSOLE_URL: baseUrl = '', TOKEN: token = '' } = process.env\n`
  const [body, head] = [code.replaceAll(/^import .*\n/gm, ''), (code.match(/^import .*\n/gm) ?? []).join('')]
  const declared = [...names.map((name) => DECLARED[name]), PREPARED[title] ?? ''].join('\n')
  const here = body.replace("'https://console.example.com'", 'baseUrl')
  return `${imports}${head}${surroundings}${declared}\n{\n${here}}\n`
}

const SETTINGS = {
  extends: join(ROOT, 'tsconfig.json'),
  compilerOptions: {
    ...{ typeRoots: [join(ROOT, 'node_modules/@types')], customConditions: ['agent-console-source'] },
    // An example may name a value that it does not use.
    ...{ noUnusedLocals: false, preserveSymlinks: false },
  },
  include: ['*.ts'],
}
