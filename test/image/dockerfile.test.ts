import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { describe, it } from 'node:test'

/** What can be known about the container image without an engine that builds it. `npm run image:try` builds it. */

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ')

/** The sources of every COPY from the build context, by stage. */
const copied = new Map(
  dockerfile
    .split(/^FROM /m)
    .slice(1)
    .map((stage) => [
      /AS (\w+)/.exec(stage)?.[1] ?? '',
      [...stage.matchAll(/^COPY (?!--from)(.+)$/gm)].flatMap(([, paths = '']) =>
        paths.trim().split(/\s+/).slice(0, -1),
      ),
    ]),
)
/** What the image has from the build of the browser console. */
const built = [...dockerfile.matchAll(/^COPY --from=web \S+ (\S+)$/gm)].map(([, path = '']) => path)
const inImage = (file: string) =>
  [...(copied.get('console') ?? []), ...built].some((path) => file === path || file.startsWith(`${path}/`))

const entries = [
  'bin/agent-console.ts',
  ...[...read('bin/agent-console.ts').matchAll(/file: '([^']+)'/g)].map(([, file = '']) => file),
]
const { files, packages } = closureOf(entries)

describe('the container image', () => {
  it('is built from paths that exist', () => {
    const paths = [...copied.values()].flat()
    assert.ok(paths.length > 10, `${paths.length} paths`)
    assert.deepEqual(
      paths.filter((path) => !existsSync(join(root, path))),
      [],
    )
  })

  it('holds every file that one of its commands imports or reads by its place', () => {
    assert.ok(files.includes('src/app.ts'), 'the closure follows imports')
    assert.ok(files.includes('migrations'), 'the closure follows new URL(…)')
    assert.ok(files.includes('web/dist'), 'the built browser console')
    assert.deepEqual(
      files.filter((file) => !inImage(file)),
      [],
    )
  })

  it('holds every package that one of its commands imports', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
    assert.ok(packages.includes('fastify'))
    assert.deepEqual(
      packages.filter((name) => !Object.hasOwn(dependencies, name)),
      [],
    )
  })

  it('holds nothing of the tests, the development services and the benchmarks', () => {
    const foreign = ['test/image/image.test.ts', 'dev/main.ts', 'bench/main.ts', 'scripts/seed.ts', '.npmrc']
    assert.deepEqual(foreign.filter(inImage), [])
  })

  it('has the version of the package', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string }
    assert.match(dockerfile, new RegExp(`^ARG VERSION=${version}$`, 'm'))
  })

  it('runs as a user without a name, checks its health without a shell, and serves by default', () => {
    const [, last = ''] = /AS console\n([\s\S]*)$/.exec(dockerfile) ?? []
    assert.match(last, /^USER 65532:65532$/m)
    assert.match(last, /^HEALTHCHECK .*CMD \["node"/m)
    assert.match(last, /^ENTRYPOINT \["node"/m)
    assert.match(last, /^CMD \["serve"\]$/m)
    assert.doesNotMatch(last, /^RUN/m)
  })
})

describe('the build context', () => {
  it('has every path that the Dockerfile copies', () => {
    const sources = [...copied.values()]
      .flat()
      .flatMap((path) => globSync(`${path}{,/**/*.*}`, { cwd: root }))
      .filter((path) => !/(?:^|\/)(?:node_modules|dist)(?:\/|$)/.test(path))
    assert.deepEqual(
      sources.filter((path) => !isSent(path)),
      [],
    )
  })

  it('has no secret, no local state and nothing that no stage needs', () => {
    const kept = [
      '.env',
      '.env.local',
      'src/.env',
      'dev/.env.local',
      'src/tls/server.key',
      'bin/ca.pem',
      'dev/client.p12',
    ]
    const state = [
      '.dev/keys.json',
      'dev/.dev/keys.json',
      '.git/config',
      'node_modules/pg/index.js',
      'web/node_modules/vite/index.js',
      'web/dist/index.html',
      'dev/issuer.log',
    ]
    const unneeded = ['test/image/image.test.ts', 'docs/deploy.md', 'scripts/seed.ts', 'compose.yaml']
    assert.deepEqual([...kept, ...state, ...unneeded].filter(isSent), [])
  })
})

/** By the rules of .dockerignore: the last pattern that matches a path or a folder above it decides. */
function isSent(path: string): boolean {
  const parts = path.split('/')
  const prefixes = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  let sent = true
  for (const line of read('.dockerignore').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const pattern = line.replace(/^!/, '')
    if (prefixes.some((prefix) => matches(prefix, pattern))) sent = line.startsWith('!')
  }
  return sent
}

/** `*` of a .dockerignore matches names that begin with a dot, too. */
function matches(path: string, pattern: string): boolean {
  if (pattern === '*') return !path.includes('/')
  if (pattern.startsWith('**/')) return matchesGlob(path.split('/').at(-1) ?? '', pattern.slice(3))
  return path === pattern
}

/** Every file and package that a process started from these files may load. Types are erased, so a package of
 * which only types are imported does not count. */
function closureOf(from: string[]): { files: string[]; packages: string[] } {
  const seen = new Set<string>()
  const bare = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    if (!file.endsWith('.ts')) return
    const text = read(file)
    const imports = [
      ...text.matchAll(/^(?:import|export)(?!\s+type\b)[^'"]*?from '([^']+)'/gm),
      ...text.matchAll(/\bimport(?:\(|\s)'([^']+)'/g),
      ...text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g),
    ].map(([, name = '']) => name)
    for (const name of imports) {
      if (name.startsWith('.')) visit(relative(root, join(root, dirname(file), name)))
      else if (!isBuiltin(name))
        bare.add(
          name
            .split('/')
            .slice(0, name.startsWith('@') ? 2 : 1)
            .join('/'),
        )
    }
  }
  for (const file of from) visit(file)
  return { files: [...seen], packages: [...bare] }
}
