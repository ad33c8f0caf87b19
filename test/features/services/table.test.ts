import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createMountedTable } from '../../../src/features/services/mount/table.ts'
import { readTemplate } from '../../../src/features/services/mount/template.ts'
import { operation } from '../../support/mounted.ts'
import { sized } from '../../support/sized.ts'

const table = await createMountedTable([
  operation({ path: '/v1/things' }),
  operation({ path: '/v1/things', method: 'POST' }),
  operation({ path: '/v1/things/{id}' }),
  operation({ path: '/v1/things/{thing-id}', method: 'PUT' }),
  operation({ path: '/v1/things/newest' }),
  operation({ path: '/v1/things/{id}.json' }),
  operation({ path: '/v1/things/{id}:cancel', method: 'POST' }),
  operation({ path: '/v1/things/{id}/parts/{part}/' }),
  operation({ path: '/v1/compare/{base}...{head}' }),
  operation({ path: '/v1/compare/v{version}' }),
  operation({ path: '/v1/at:{time}' }),
])

/** `METHOD template -> path`, or the methods that there are. */
function found(method: string, url: string): string | string[] {
  const match = table.find(method, url)
  if (!('operation' in match)) return match.allow
  const { declared } = match.operation
  return `${declared.method} ${declared.path} -> ${match.path}`
}

describe('the mounted table', () => {
  it('finds what is declared, and the path to ask for', () => {
    for (const [method, url, expected] of [
      ['GET', '/v1/things', 'GET /v1/things -> /v1/things'],
      ['POST', '/v1/things/', 'POST /v1/things -> /v1/things'],
      ['GET', '/v1/things/7?x=/y', 'GET /v1/things/{id} -> /v1/things/7'],
      ['PUT', '/v1/things/a%20b', 'PUT /v1/things/{thing-id} -> /v1/things/a%20b'],
      ['GET', '/v1/things/newest', 'GET /v1/things/newest -> /v1/things/newest'],
      ['GET', '/v1/things/7.json', 'GET /v1/things/{id}.json -> /v1/things/7.json'],
      ['POST', '/v1/things/7:cancel', 'POST /v1/things/{id}:cancel -> /v1/things/7:cancel'],
      ['GET', '/v1/things/7/parts/é', 'GET /v1/things/{id}/parts/{part}/ -> /v1/things/7/parts/%C3%A9/'],
      ['GET', '/v1/compare/main...dev', 'GET /v1/compare/{base}...{head} -> /v1/compare/main...dev'],
      ['GET', '/v1/compare/v7', 'GET /v1/compare/v{version} -> /v1/compare/v7'],
      ['GET', '/v1/at:noon', 'GET /v1/at:{time} -> /v1/at:noon'],
      ['HEAD', '/v1/things/7', 'GET /v1/things/{id} -> /v1/things/7'],
      ['GET', '/v1/%74hings/%37', 'GET /v1/things/{id} -> /v1/things/7'],
      ['GET', 'http://elsewhere/v1/things/7', 'GET /v1/things/{id} -> /v1/things/7'],
    ] as const) {
      assert.equal(found(method, url), expected)
    }
  })

  it('keeps the names of path parameters, in their order', () => {
    const namesOf = (url: string) => {
      const match = table.find('GET', url)
      return 'operation' in match ? match.operation.parameterNames : undefined
    }
    assert.deepEqual(namesOf('/v1/things'), [])
    assert.deepEqual(namesOf('/v1/things/7/parts/8'), ['id', 'part'])
    assert.deepEqual(namesOf('/v1/compare/main...dev'), ['base', 'head'])
  })

  it('says which methods a path has instead', () => {
    assert.deepEqual(found('DELETE', '/v1/things'), ['GET', 'HEAD', 'POST'])
    assert.deepEqual(found('PROPFIND', '/v1/things/7'), ['GET', 'HEAD', 'PUT'])
    assert.deepEqual(found('GET', '/v1/other'), [])
    assert.deepEqual(found('GET', '/v1/thing'), [])
  })

  it('tells a path that is awaited, however its prefix is given, from one that names nothing', async () => {
    const prefixes = ['/v1/a', '/v1/a', '/v1/a/b', '/v1/teams/{x}/members', '/v1/teams/{y}/members']
    const pending = await createMountedTable([operation({ path: '/v1/things' })], prefixes)
    const isPending = (url: string) => {
      const match = pending.find('POST', url)
      return 'isPending' in match && match.isPending
    }
    for (const url of ['/v1/a', '/v1/a/', '/v1/%61/b/c?d', 'http://host/v1/a', '/v1/teams/7/members/8']) {
      assert.equal(isPending(url), true, url)
    }
    for (const url of ['/v1/ab', '/v1/teams', '/v1/teams/7/other', '/v1/things', '/']) {
      assert.equal(isPending(url), false, url)
    }
  })

  it('finds nothing where a parameter could lead elsewhere', () => {
    for (const value of [
      ...[
        '.',
        '..',
        '%2e',
        '%2E%2e',
        '.%2e',
        '%2f',
        '..%2fadmin',
        'a%2Fb',
        'a%5cb',
        'a\\b',
        '%00',
        'a%0d%0ab',
      ],
      ...['%7f', '%c2%85', '%zz', '', '%20/../x'],
    ]) {
      assert.deepEqual(found('GET', `/v1/things/${value}/parts/1`), [], value)
      assert.deepEqual(found('GET', `/v1/things/1/parts/${value}`), [], value)
    }
  })

  it('asks for exactly the segments of the template, whatever the parameter', () => {
    const segment = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }).map(encodeURIComponentSafely),
      fc.string({ minLength: 1 }),
    )
    fc.assert(
      fc.property(segment, (value) => {
        const match = table.find('GET', `/v1/things/${value}/parts/1`)
        if (!('operation' in match)) return
        const template = match.operation.declared.path
          .replaceAll('.', '\\.')
          .replace(/\{.*?\}/g, "[\\w.~!*'()%-]+")
        assert.match(match.path, new RegExp(`^${template}$`))
        const url = new URL(match.path, 'http://service')
        assert.equal(url.pathname, match.path)
      }),
      { numRuns: sized(200, 2_000), seed: 6 },
    )
  })

  const BAD_CHARACTER = 'contains a character that the console does not support in paths'
  const TOO_MANY = 'has more parameters than the console supports in one segment'
  const refused = {
    '/v1/a/{x}{y}': `its segment {x}{y} ${TOO_MANY}`,
    '/v1/a/{x}-{y}-{z}': `its segment {x}-{y}-{z} ${TOO_MANY}`,
    '/v1/a/*': `its segment * ${BAD_CHARACTER}`,
    '/v1/a/(b)': `its segment (b) ${BAD_CHARACTER}`,
    '/v1/../admin': 'it has the segment ..',
    '/v1//a': 'it has an empty segment',
    'v1/a': 'it does not start with a slash',
    '/v1/{a': `its segment {a ${BAD_CHARACTER}`,
  }
  it('is not made with what it cannot route, for which there is a sentence', () => {
    for (const [path, message] of Object.entries(refused)) {
      assert.throws(() => readTemplate(path), { message })
    }
  })

  it('takes no longer over a hostile path', () => {
    const startedAt = process.threadCpuUsage()
    for (const text of ['-', '.', '...', ':', 'a:cance', '%25']) {
      found('GET', `/v1/compare/${text.repeat(16_000 / text.length)}/x`)
      found('POST', `/v1/things/${text.repeat(16_000 / text.length)}`)
    }
    // Of the processor: the machine may have other things to do.
    const { user } = process.threadCpuUsage(startedAt)
    assert.ok(user < 500_000, `${user} µs`)
  })
})

/** Undefined behaviour of a lone surrogate is not what is tried here. */
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
