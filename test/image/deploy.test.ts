import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { parseKeyring } from '../../src/platform/crypto/secrets.ts'
import { knownVariables } from '../support/configuration.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const guide = read('docs/deploy.md')
const units = globSync('deploy/systemd/*.service', { cwd: root })

/** Variables of `migrate`, Node and the build, and what is in capitals without being a variable. */
const NOT_OF_THE_CONSOLE = [
  'CONSOLE_ROLE',
  'NODE_ENV',
  'NODE_EXTRA_CA_CERTS',
  'BUILD_BASE',
  'RUNTIME_BASE',
  'AF_INET',
  'AF_UNIX',
  'AF_NETLINK',
]

describe('the deployment guide and the systemd units', () => {
  it('name only variables that the console reads', () => {
    const texts = [guide, ...units.map(read)]
    const names = new Set(texts.flatMap((text) => text.match(/\b[A-Z]+(?:_[A-Z]+)+\b/g) ?? []))
    const known = knownVariables()
    // Any variable may end in _FILE.
    const isKnown = (name: string) => [name, name.replace(/_FILE$/, '')].some((each) => known.includes(each))
    const unknown = [...names].filter((name) => !isKnown(name) && !NOT_OF_THE_CONSOLE.includes(name))
    assert.ok(names.has('SECRETS_KEYS') && names.has('SHUTDOWN_DELAY_MS'))
    assert.deepEqual(unknown, [])
  })

  it('start commands that the entry point has', () => {
    const entry = read('bin/agent-console.ts')
    const started = units.map((unit) => /agent-console\.ts (\w+)/.exec(read(unit))?.[1] ?? unit)
    const templates = globSync('deploy/helm/*/templates/*.yaml', { cwd: root }).map(read).join('\n')
    const workloads = [...templates.matchAll(/args: \[(\w+)\]/g)].map(([, command = '']) => command)
    assert.deepEqual(started.toSorted(), ['migrate', 'relay', 'serve'])
    assert.deepEqual(workloads.toSorted(), ['migrate', 'relay', 'serve'])
    for (const command of [...started, ...workloads]) assert.match(entry, new RegExp(`^  ${command}: `, 'm'))
  })

  it('make a key that the console accepts', () => {
    const [, command = ''] = /^(echo "[\w-]+:\$\(openssl rand .*)$/m.exec(guide) ?? []
    const [entry] = parseKeyring(execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trim())
    assert.equal(entry?.key.length, 32)
  })

  it('have examples in valid YAML', () => {
    const examples = [...guide.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
    assert.ok(examples.length >= 2)
    for (const example of examples) {
      for (const document of parseAllDocuments(example)) assert.deepEqual(document.errors, [])
    }
  })
})
