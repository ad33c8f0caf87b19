import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { compareDocuments, documentOf, findOasdiff, OASDIFF_MISSING } from '../../scripts/check-breaking.ts'
import { findChangelogFaults, notesOf, releaseChangelog } from '../../scripts/release/changelog.ts'
import { findPackageFaults, PACKAGES, pack, publishDryRun } from '../../scripts/release/pack.ts'
import { mayBreak, parseVersion, readVersions, writeVersion } from '../../scripts/release/versions.ts'

const ROOT = join(import.meta.dirname, '../..')

async function useFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'release-test-'))
  after(() => rm(folder, { recursive: true }))
  return folder
}

const VERSIONED = [
  ...['package.json', 'package-lock.json', 'sdk/package.json', 'cli/package.json', 'web/package.json'],
  ...['sdk/src/version.ts', 'cli/src/version.ts', 'python/agent_console.py', 'src/api/operation.ts'],
  ...['openapi.json', 'asyncapi.json', 'Dockerfile'],
]

describe('the version of a release', async () => {
  const folder = await useFolder()
  for (const file of VERSIONED) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await cp(join(ROOT, file), join(folder, file))
  }

  it('is the same in every place', async () => {
    assert.deepEqual((await readVersions(ROOT)).faults, [])
  })

  it('is written to every place, and nothing else changes', async () => {
    const { version: old } = await readVersions(folder)
    await writeVersion(folder, '12.34.56-rc.1')
    assert.deepEqual(await readVersions(folder), { version: '12.34.56-rc.1', faults: [] })
    for (const file of VERSIONED) {
      const [given, written] = [
        await readFile(join(ROOT, file), 'utf8'),
        await readFile(join(folder, file), 'utf8'),
      ]
      assert.equal(written.replaceAll('12.34.56-rc.1', old), given, file)
    }
  })

  it('that differs in one place is a fault', async () => {
    const path = join(folder, 'cli/src/version.ts')
    await writeFile(path, (await readFile(path, 'utf8')).replace(/'.*'/, "'9.9.9'"))
    const { faults } = await readVersions(folder)
    assert.equal(faults.length, 1)
    assert.match(faults[0] ?? '', /^cli\/src\/version\.ts: 9\.9\.9 instead of/)
  })

  it('announces breaking changes by its major version, before 1.0.0 by its minor one', () => {
    const cases: [string, string, boolean][] = [
      ['1.2.3', '2.0.0', true],
      ['1.2.3', '1.3.0', false],
      ['0.1.0', '0.2.0', true],
      ['0.1.0', '0.1.1', false],
      ['0.9.0', '1.0.0', true],
      ['1.0.0', '1.0.0', false],
    ]
    for (const [from, to, expected] of cases) assert.equal(mayBreak(from, to), expected, `${from} to ${to}`)
    for (const text of ['1', '1.2', 'v1.2.3', '1.2.3+x', '']) assert.equal(parseVersion(text), undefined)
  })
})

describe('the changelog of a release', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing\n\n## [0.1.0] - 2026-01-01\n\n- First\n'

  it('gets the section of the version', () => {
    assert.deepEqual(findChangelogFaults(changelog, '0.2.0'), [
      'CHANGELOG.md has no notes of 0.2.0',
      'CHANGELOG.md has notes that are not released',
    ])
    const released = releaseChangelog(changelog, '0.2.0', '2026-02-03')
    assert.match(released, /## \[Unreleased\]\n\n## \[0\.2\.0\] - 2026-02-03\n\n### Added/)
    assert.deepEqual(findChangelogFaults(released, '0.2.0'), [])
    assert.equal(notesOf(released, '0.2.0'), '### Added\n\n- A thing')
    assert.equal(notesOf(released, '0.1.0'), '- First')
  })

  it('must have something to release, once', () => {
    const released = releaseChangelog(changelog, '0.2.0', '2026-02-03')
    assert.throws(() => releaseChangelog(released, '0.3.0', '2026-02-03'), /nothing to release/)
    assert.throws(() => releaseChangelog(changelog, '0.1.0', '2026-02-03'), /has 0\.1\.0 already/)
  })
})

describe('the packages of a release', () => {
  for (const name of PACKAGES) {
    describe(name, async () => {
      const packed = await pack(name, await useFolder())

      it('has what users need and nothing else, and can be published', async (t) => {
        assert.deepEqual(await findPackageFaults(name, packed), [])
        await publishDryRun(packed)
        t.diagnostic(`${packed.files.length} files`)
      })

      it('with another file, without one of its own, or with a path of this machine is refused', async () => {
        const { folder, files } = packed
        await writeFile(join(folder, '.env'), 'TOKEN=1')
        await writeFile(join(folder, 'README.md'), `Built in ${ROOT}`)
        const others = [...files.filter(({ path }) => path !== 'LICENSE'), { path: '.env', size: 1e7 }]
        assert.deepEqual(
          (await findPackageFaults(name, { ...packed, files: others })).map((fault) =>
            fault.replace(/\d+/, 'N'),
          ),
          [
            '.env must not be in it',
            'LICENSE is missing',
            'it has N bytes',
            'README.md contains the path of the build',
          ],
        )
      })

      it('that would run a script, depend on others or have no provenance is refused', async () => {
        const path = join(packed.folder, 'package.json')
        const manifest = JSON.parse(await readFile(path, 'utf8')) as object
        const scripts = { postinstall: 'x' }
        await writeFile(path, JSON.stringify({ ...manifest, scripts, dependencies: {}, publishConfig: {} }))
        const faults = await findPackageFaults(name, { ...packed, files: [] })
        assert.deepEqual(
          faults.filter((fault) => !fault.endsWith('is missing')),
          [
            'it has dependencies',
            'prepack does not build it',
            'it runs postinstall',
            'publishConfig.access is not public',
            'publishConfig.provenance is not true',
          ],
        )
      })
    })
  }
})

describe('the breaking changes of a release', async () => {
  const document = readFileSync(join(ROOT, 'openapi.json'), 'utf8')
  const { version } = await readVersions(ROOT)
  const without = (path: string) => {
    const changed = JSON.parse(document) as { paths: Record<string, unknown> }
    delete changed.paths[path]
    return JSON.stringify(changed)
  }

  it('are those of the document, and the version must announce them', {
    skip: findOasdiff() === undefined && OASDIFF_MISSING,
  }, () => {
    assert.equal(compareDocuments(document, document).breaks, false)
    const broken = without('/v1/me')
    const { breaks, isAnnounced, report } = compareDocuments(document, broken)
    assert.deepEqual([breaks, isAnnounced], [true, false])
    assert.match(report, /GET \/v1\/me/)
    assert.ok(
      compareDocuments(document, broken.replace(`"version":"${version}"`, '"version":"99.0.0"')).isAnnounced,
    )
    // What is new breaks nobody.
    assert.equal(compareDocuments(broken, document).breaks, false)
  })

  it('are compared with the document of a tag', async () => {
    const folder = await useFolder()
    const git = (...args: string[]) => {
      const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com']
      execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' })
    }
    git('init')
    await writeFile(join(folder, 'openapi.json'), without('/v1/me'))
    git('add', 'openapi.json')
    git('commit', '-m', 'Release')
    git('tag', 'v0.0.9')
    assert.equal(documentOf('v0.0.9', folder), without('/v1/me'))
    assert.throws(() => documentOf('v0.0.8', folder), /There is no tag v0\.0\.8/)
  })

  it('with a tag that does not exist are an error', () => {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'scripts/check-breaking.ts'), 'v0.0.0-none'],
      { encoding: 'utf8' },
    )
    assert.equal(status, 1)
    assert.match(stderr, /There is no tag v0\.0\.0-none/)
  })
})
