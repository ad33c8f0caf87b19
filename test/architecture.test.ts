import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'

/** What each folder of src may import. Imports point down; a feature may import agents, and no other feature. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: ['contract'],
  platform: ['platform', 'contract'],
  http: ['http', 'platform', 'contract'],
  agents: ['agents', 'platform', 'contract'],
  audit: ['audit', 'platform', 'contract'],
  budgets: ['budgets', 'platform', 'contract'],
  evolution: ['evolution', 'platform', 'contract'],
  imports: ['imports', 'agents', 'platform', 'contract'],
  relay: ['relay', 'platform', 'contract'],
  watch: ['watch', 'platform', 'contract'],
  views: ['views', 'platform', 'contract'],
  sets: ['sets', 'agents', 'platform', 'contract'],
  maintenance: ['maintenance', 'platform', 'contract'],
  mcp: ['mcp', 'agents', 'platform', 'contract'],
  services: ['services', 'platform', 'contract'],
  users: ['users', 'platform', 'contract'],
  // It checks the services file with the part that knows what is in it.
  config: ['config', 'platform', 'contract', 'services'],
  deps: ['config', 'platform', 'services'],
  app: [
    'deps',
    'http',
    'platform',
    'contract',
    'agents',
    'audit',
    'budgets',
    'evolution',
    'sets',
    'imports',
    'mcp',
    'views',
    'watch',
    'services',
    'users',
  ],
  'maintenance-steps': ['config', 'platform', 'agents', 'audit', 'maintenance'],
  process: ['platform'],
  trace: ['config', 'deps', 'contract', 'platform'],
  main: [
    'app',
    'config',
    'deps',
    'http',
    'platform',
    'relay',
    'maintenance',
    'maintenance-steps',
    'process',
    'trace',
  ],
  'relay-main': ['config', 'http', 'platform', 'relay', 'process', 'trace'],
}

const root = join(import.meta.dirname, '..')
const files = globSync('src/**/*.ts', { cwd: root })
const importsOf = new Map(files.map((file) => [file, readImports(file)]))

describe('the folders of src', () => {
  it('has a rule for each of its parts', () => {
    const parts = new Set(files.map(partOf))
    assert.deepEqual([...parts].toSorted(), Object.keys(MAY_IMPORT).toSorted())
  })

  it('imports only downwards', () => {
    const upward = [...importsOf].flatMap(([file, imports]) =>
      imports
        .filter((imported) => !MAY_IMPORT[partOf(file)]?.includes(partOf(imported)))
        .map((imported) => `${file} imports ${imported}`),
    )
    assert.deepEqual(upward, [])
  })

  it('has no cycles', () => {
    const done = new Set<string>()
    const visit = (file: string, trail: string[]): string[] => {
      if (trail.includes(file)) return [[...trail.slice(trail.indexOf(file)), file].join(' -> ')]
      if (done.has(file)) return []
      const cycles = (importsOf.get(file) ?? []).flatMap((imported) => visit(imported, [...trail, file]))
      done.add(file)
      return cycles
    }
    assert.deepEqual(
      files.flatMap((file) => visit(file, [])),
      [],
    )
  })

  it('reads the environment in one place', () => {
    const readers = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('process.env'))
    assert.deepEqual(readers.toSorted(), ['src/main.ts', 'src/relay-main.ts'])
  })

  it('is tested from outside by suites that do not look inside', () => {
    const insiders = globSync('test/acceptance/**/*.ts', { cwd: root }).flatMap((file) =>
      readImports(file).filter((imported) => imported.startsWith('src/')),
    )
    assert.deepEqual(insiders, [])
  })

  it('runs on a supported Node', () => {
    assert.ok(Number(process.versions.node.split('.')[0]) >= 24, process.version)
  })
})

/** `src/http/server.ts` belongs to `http`, `src/app.ts` to `app`. */
function partOf(file: string): string {
  const [, part = ''] = file.split('/')
  return part.replace(/\.ts$/, '')
}

/** The project's own files that a file imports, types included: a cycle of types is a cycle too. */
function readImports(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, join(root, dirname(file), path)),
  )
}
