import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { SCRIPTS } from '../src/completion/scripts.ts'
import { COMMANDS, GROUPS } from '../src/grammar/commands.ts'
import { GLOBAL_OPTIONS } from '../src/grammar/global-options.ts'
import { parse } from '../src/grammar/parse.ts'
import { PROTECTION_STATUSES, SORT_ORDERS, STATUSES, TRUST_STAGES } from '../src/grammar/words.ts'
import { HANDLERS } from '../src/handlers.ts'
import { manPage } from '../src/help/man.ts'
import { usageOf } from '../src/help/usage.ts'
import { runCli, useFolder } from './support/cli.ts'

const run = promisify(execFile)
const ROOT = join(import.meta.dirname, '../..')

describe('the table of commands', () => {
  it('has a summary, examples and a handler for each command', async () => {
    for (const { path, summary, examples, options } of COMMANDS) {
      assert.match(summary, /^[A-Z].*[^.]$/, path)
      assert.ok(examples.length > 0, path)
      for (const { line } of examples) {
        const words = line.split(/\s[|><]/)[0]?.match(/"[^"]*"|\S+/g) ?? []
        assert.equal(parse(words, COMMANDS).command?.path, path, line)
      }
      const names = [...options, ...GLOBAL_OPTIONS].map(({ name }) => name)
      assert.equal(new Set(names).size, names.length, path)
      assert.equal(typeof (await HANDLERS[path]?.())?.run, 'function')
    }
  })

  it('has a summary for each word that only begins commands', () => {
    const beginnings = COMMANDS.map(({ path }) => path.split(' ')[0] ?? '').filter(
      (word) => !COMMANDS.some(({ path }) => path === word),
    )
    assert.deepEqual([...new Set(beginnings)].toSorted(), GROUPS.map(({ path }) => path).toSorted())
  })

  it('has the words of the API', () => {
    const document = JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')) as {
      components: { schemas: { Agent: { properties: Record<string, { enum?: string[] }> } } }
      paths: Record<string, { get: { parameters: { name: string; schema: { enum?: string[] } }[] } }>
    }
    const { properties } = document.components.schemas.Agent
    assert.deepEqual([...STATUSES], properties['status']?.enum)
    assert.deepEqual([...TRUST_STAGES], properties['trust_stage']?.enum)
    assert.deepEqual([...PROTECTION_STATUSES], properties['protection_status']?.enum)
    const { parameters = [] } = document.paths['/v1/agent-configurations']?.get ?? {}
    assert.deepEqual([...SORT_ORDERS], parameters.find(({ name }) => name === 'sort')?.schema.enum)
  })

  it('takes global options before, between and after the words of a command', () => {
    for (const line of ['-o json agents list', 'agents --output=json list', 'agents list --output json']) {
      const { path, options } = parse(line.split(' '), COMMANDS)
      assert.deepEqual([path, options.text('output')], ['agents list', 'json'], line)
    }
    const { args } = parse(['agents', 'get', '--', '-name'], COMMANDS)
    assert.deepEqual(args, ['-name'])
    const { options } = parse(['agents', 'list', '--status', 'active,draft', '--status=pending'], COMMANDS)
    assert.deepEqual(options.list('status'), ['active', 'draft', 'pending'])
    assert.equal(parse(['agents', 'create', '-f', '-'], COMMANDS).options.text('file'), '-')
  })

  it('is in the help, in the man page and in the documentation', async () => {
    const [man, page] = [manPage(), readFileSync(join(ROOT, 'docs/cli.md'), 'utf8')]
    const { stdout: help } = await runCli(['--help'])
    for (const command of COMMANDS) {
      const { path, summary, options, examples } = command
      assert.ok(help.includes(`  ${path} `), path)
      const { stdout } = await runCli([...path.split(' '), '--help'])
      for (const text of [summary, usageOf(command), ...options.map(({ name }) => `--${name}`)]) {
        assert.ok(stdout.includes(text), `${path}: ${text}`)
      }
      for (const { line } of examples) assert.ok(stdout.includes(`agent-console ${line}`), line)
      assert.ok(man.includes(`.SS agent\\-console ${path}`), path)
      assert.ok(
        page.includes(`| \`${usageOf(command).replace('agent-console ', '')}\` | ${summary} |`),
        usageOf(command),
      )
    }
  })

  it('fits a terminal of 80 columns with its help', async () => {
    for (const { path } of COMMANDS) {
      const { stdout } = await runCli([...path.split(' '), '--help'], { columns: 80, env: { NO_COLOR: '1' } })
      const wide = stdout
        .split('\n')
        .filter((line) => line.length > 80 && !line.startsWith('  agent-console '))
      assert.deepEqual(wide, [], path)
    }
  })
})

describe('the completion', () => {
  for (const [shell, script] of Object.entries(SCRIPTS)) {
    it(`of ${shell} has every command and option`, () => {
      const text = script()
      for (const { path, options } of COMMANDS) {
        assert.ok(text.includes(`'${path}`) || text.includes(`\\'${path}\\'`), path)
        for (const { name } of options) assert.match(text, new RegExp(`(--|-l )${name}\\b`))
      }
    })
  }

  it('of bash offers what fits', async () => {
    const folder = await useFolder()
    const file = join(folder, 'completion.bash')
    await writeFile(file, SCRIPTS.bash())
    const lines: [string, string[]][] = [
      ['ag', ['agents']],
      ['agents sta', ['stage']],
      ['profiles u', ['use']],
      ['agents list --st', ['--status', '--stage']],
      ['agents list --status a', ['active', 'archived']],
      ['--output json agents st', ['stage']],
      ['agents -o y', ['yaml']],
      ['agents stage helper tr', ['trusted']],
      ['completion f', ['fish']],
      ['agents list --query a', []],
      [`agents create -f ${folder}/compl`, [file]],
    ]
    const program = [
      `source ${file}`,
      ...lines.map(([line]) => {
        const words = ['agent-console', ...line.split(' ')]
        return `COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}; _agent_console; echo "\${COMPREPLY[*]}"`
      }),
    ].join('\n')
    const { stdout } = await run('bash', ['-c', program])
    assert.deepEqual(
      stdout.trimEnd().split('\n'),
      lines.map(([, offered]) => offered.join(' ')),
    )
  })
})
