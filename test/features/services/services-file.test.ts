import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from '../../../src/config/config.ts'
import { CONSOLE_PREFIXES, findPrefixConflicts, isUnderPrefix } from '../../../src/config/services-file.ts'
import { ConfigInvalid } from '../../../src/platform/process.ts'
import { useConsole } from '../../support/console.ts'
import { signingEnvironment } from '../../support/signing.ts'

const ENVIRONMENT = {
  DATABASE_URL: 'postgres://127.0.0.1/unused',
  AUTH_ISSUER: 'http://127.0.0.1/unused',
  AUTH_AUDIENCE: 'unused',
  SECRETS_KEYS: `unused:${randomBytes(32).toString('base64')}`,
}

describe('the services file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-services-'))
  after(() => rmSync(folder, { recursive: true }))

  const read = (text: string) => {
    const path = join(folder, 'services')
    writeFileSync(path, text)
    return readConfig({ ...ENVIRONMENT, SERVICES_FILE: path }).services
  }
  const entry = (changes: object = {}) => ({
    name: 'teams',
    tag: 'Teams',
    url: 'https://teams.example/base/',
    token: 'pass',
    prefixes: ['/v1/teams'],
    ...changes,
  })
  const errorsOf = (...services: object[]) => {
    try {
      read(JSON.stringify({ services }))
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigInvalid)
      return error.message.split('\n  - ').slice(1)
    }
  }

  it('is JSON or YAML, and completed by defaults', () => {
    const expected = {
      name: 'teams',
      tag: 'Teams',
      url: 'https://teams.example/base/',
      documentUrl: 'https://teams.example/base/openapi.json',
      prefixes: ['/v1/teams'],
      token: 'pass',
      audience: 'teams',
      readPermission: undefined,
      writePermission: undefined,
      budgetPriority: 'interactive',
      deadlineMs: 5_000,
      maxInFlight: 256,
      maxRequestBytes: 10 * 1024 * 1024,
      maxResponseBytes: Number.POSITIVE_INFINITY,
      pollMs: 30_000,
    }
    assert.deepEqual(read(JSON.stringify({ services: [entry()] })), [expected])
    const yaml =
      'services:\n  - name: teams\n    tag: Teams\n    url: https://teams.example/base/\n    token: pass\n    prefixes: [/v1/teams]\n' +
      '    document: /docs/api.yaml # under the base URL\n    poll_seconds: 0.5\n'
    assert.deepEqual(read(yaml), [
      { ...expected, documentUrl: 'https://teams.example/base/docs/api.yaml', pollMs: 500 },
    ])
    assert.deepEqual(readConfig(ENVIRONMENT).services, [])
  })

  it('may name a document elsewhere', () => {
    const [service] = read(
      JSON.stringify({ services: [entry({ document: 'https://docs.example/teams.json' })] }),
    )
    assert.equal(service?.documentUrl, 'https://docs.example/teams.json')
  })

  it('has all its errors reported at once, each in a sentence', () => {
    assert.deepEqual(
      errorsOf(
        { tag: 'Teams', url: 'https://h', prefixes: [] },
        entry({ name: 'Red Team', colour: 'red', poll_seconds: 0, prefixes: ['v1/x', '/v1/../x'] }),
      ),
      [
        'SERVICES_FILE service 1: has no `name`, which must be at most 40 lower-case letters and digits, in words joined by hyphens',
        'SERVICES_FILE service 1: has no `token`, which must be one of assert (the service gets a token of a minute that the ' +
          "console signs for it alone), exchange (a token that the issuer makes for it, RFC 8693) and pass (the caller's own " +
          'token, with which it can do at the console what the caller can)',
        'SERVICES_FILE service 1: `prefixes` must be a list of at least one path',
        'SERVICES_FILE service Red Team: has an unknown field `colour`',
        'SERVICES_FILE service Red Team: `name` must be at most 40 lower-case letters and digits, in words joined by hyphens',
        'SERVICES_FILE service Red Team: `prefixes.0` must be a path such as /v1/teams or /v1/teams/{team_id}/members',
        'SERVICES_FILE service Red Team: `prefixes.1` must be a path such as /v1/teams or /v1/teams/{team_id}/members',
        'SERVICES_FILE service Red Team: `poll_seconds` must be a number from 0.1 to 86400',
      ],
    )
    assert.deepEqual(
      errorsOf(
        entry({ url: 'http://user:pw@h/' }),
        entry({ name: 'evolution', prefixes: ['/v1/b'], document: 'ftp://h/x' }),
        entry({ prefixes: ['/v1/c'] }),
      ),
      [
        'SERVICES_FILE service teams: `url` must start with https:// or http:// and have no credentials, query or fragment',
        'SERVICES_FILE service evolution: the name is taken by the console',
        'SERVICES_FILE service evolution: `document` must be a URL that starts with https:// or http://, or a path',
        'SERVICES_FILE has two services with the name teams',
      ],
    )
  })

  it('that is missing or neither JSON nor YAML is an error like any other', () => {
    assert.throws(() => read('services: ['), /SERVICES_FILE cannot be read as JSON or YAML/)
    assert.throws(
      () => readConfig({ ...ENVIRONMENT, PORT: 'x', SERVICES_FILE: join(folder, 'none') }),
      /2 errors:\n {2}- PORT .*\n {2}- SERVICES_FILE cannot be read/,
    )
    assert.throws(() => read('[]'), /SERVICES_FILE must be an object with the list `services`/)
  })

  it('says what each service gets as a token, and which permissions callers need', () => {
    const keys = signingEnvironment()
    const exchange = { EXCHANGE_CLIENT_ID: 'console', EXCHANGE_CLIENT_SECRET: 'secret' }
    const path = join(folder, 'services')
    const services = [
      entry({
        token: 'assert',
        read_permission: 'teams:read',
        write_permission: 'https://scopes.test/teams',
      }),
      entry({ name: 'other', token: 'exchange', audience: 'urn:other', prefixes: ['/v1/other'] }),
    ]
    writeFileSync(path, JSON.stringify({ services }))
    const config = readConfig({ ...ENVIRONMENT, ...keys, ...exchange, SERVICES_FILE: path })
    assert.deepEqual(
      config.services.map(({ token, audience, readPermission, writePermission }) => [
        ...[token, audience, readPermission, writePermission],
      ]),
      [
        ['assert', 'teams', 'teams:read', 'https://scopes.test/teams'],
        ['exchange', 'urn:other', undefined, undefined],
      ],
    )
    assert.throws(() => readConfig({ ...ENVIRONMENT, SERVICES_FILE: path }), {
      message:
        'The configuration has 4 errors:\n  - PUBLIC_URL is missing\n  - SIGNING_KEYS is missing\n' +
        '  - EXCHANGE_CLIENT_ID is missing\n  - EXCHANGE_CLIENT_SECRET is missing',
    })
    assert.deepEqual(errorsOf(entry({ token: 'forward', read_permission: 'a b', write_permission: '' })), [
      "SERVICES_FILE service teams: `token` must be one of assert (the service gets a token of a minute that the console signs for it alone), exchange (a token that the issuer makes for it, RFC 8693) and pass (the caller's own token, with which it can do at the console what the caller can)",
      'SERVICES_FILE service teams: `read_permission` must be the name of a permission that GET, HEAD and OPTIONS need, without spaces, quotes and backslashes',
      'SERVICES_FILE service teams: `write_permission` must be the name of a permission that all other methods need, without spaces, quotes and backslashes',
    ])
  })

  it('cannot give a service tokens that the console would accept', () => {
    assert.deepEqual(
      errorsOf(
        entry({ token: 'assert', audience: ENVIRONMENT.AUTH_AUDIENCE }),
        entry({ name: ENVIRONMENT.AUTH_AUDIENCE, token: 'exchange', prefixes: ['/v1/b'] }),
        entry({ name: 'passing', audience: 'x', prefixes: ['/v1/c'] }),
      ),
      [
        'SERVICES_FILE service teams: the audience unused is AUTH_AUDIENCE: the service could use its tokens at the console; set another `audience`',
        'SERVICES_FILE service unused: the audience unused is AUTH_AUDIENCE: the service could use its tokens at the console; set another `audience`',
        'SERVICES_FILE service passing: `audience` has no effect with `token: pass`; remove it',
      ],
    )
  })

  it('needs a word for http:// to another machine', () => {
    const isRefused = (changes: object) =>
      errorsOf(entry(changes)).some((error) => error.includes('insecure_http'))
    for (const url of [
      'http://teams.internal',
      'http://10.0.0.7:8080',
      'http://my-localhost',
      'http://localhost.example',
      'http://127.0.0.1.nip.io',
    ]) {
      assert.ok(isRefused({ url }), url)
      assert.ok(isRefused({ document: `${url}/openapi.json` }), url)
      assert.deepEqual(errorsOf(entry({ url, insecure_http: true })), [], url)
    }
    for (const url of [
      'https://teams.internal',
      'http://localhost:1',
      'http://127.0.0.1',
      'http://127.1.2.3',
      'http://[::1]:9',
    ]) {
      assert.deepEqual(errorsOf(entry({ url })), [], url)
    }
  })

  const clashes: Record<string, [prefix: string, other: string]> = {
    'a path of the console': ['/v1/agent-configurations', '/v1/agent-configurations of the console'],
    'a path under one of the console': ['/health/teams', '/health of the console'],
    'a path above one of the console': ['/v1', '/v1/services of the console'],
    'a parameter that a path of the console fits': ['/{version}/genomes', '/v1/genomes of the console'],
    'a path of another service': ['/v1/teams', '/v1/teams of the service teams'],
    'a path under one of another service': ['/v1/teams/{id}/x', '/v1/teams of the service teams'],
    'a parameter that a path of another fits': ['/v1/{any}/x', '/v1/teams of the service teams'],
  }
  for (const [what, [prefix, other]] of Object.entries(clashes)) {
    it(`cannot give away ${what}: the sentence names both`, () => {
      const errors = errorsOf(entry(), entry({ name: 'thief', prefixes: [prefix] }))
      assert.ok(
        errors.includes(`SERVICES_FILE gives ${prefix} to the service thief, which clashes with ${other}`),
        errors.join('\n'),
      )
    })
  }

  it('cannot name two services that could publish the same name', () => {
    const namedErrors = (name: string, other: string) =>
      errorsOf(entry({ name }), entry({ name: other, prefixes: ['/v1/other'] }))
    assert.deepEqual(namedErrors('red', 'red-team'), [
      'SERVICES_FILE has the services red and red-team, which could publish the same name in the document',
    ])
    assert.equal(namedErrors('red2', 'red').length, 1)
    assert.deepEqual(namedErrors('team', 'teams'), [])
    assert.deepEqual(namedErrors('red-team', 'blue-team'), [])
  })

  it('may give a service paths under its own, and neighbours alike names', () => {
    assert.deepEqual(
      errorsOf(
        entry({ prefixes: ['/v1/teams', '/v1/teams/{id}'] }),
        entry({ name: 'other', prefixes: ['/v1/teams-and-more', '/v1/genomes2'] }),
      ),
      [],
    )
  })
})

describe('a path', () => {
  it('lies under a prefix segment by segment', () => {
    for (const path of ['/v1/teams', '/v1/teams/', '/v1/teams/{id}', '/v1/teams/a/b']) {
      assert.ok(isUnderPrefix(path, ['/v1/other', '/v1/teams']), path)
    }
    for (const path of ['/v1/teams2', '/v1', '/v1/{id}', '/v2/teams', '/v1/team{s}']) {
      assert.ok(!isUnderPrefix(path, ['/v1/teams']), path)
    }
    assert.ok(isUnderPrefix('/v1/teams/{team}/members/{id}', ['/v1/teams/{id}/members']))
    assert.ok(isUnderPrefix('/v1/teams/mine/members', ['/v1/teams/{id}/members']))
    assert.ok(!isUnderPrefix('/v1/teams/{team}', ['/v1/teams/{id}/members']))
  })
})

describe('the paths of the console', async () => {
  const running = await useConsole()

  it('are all kept from services', () => {
    const open = [...running.app.methodsByPath.keys()].filter(
      (path) => !path.includes('*') && !isUnderPrefix(path, CONSOLE_PREFIXES),
    )
    assert.deepEqual(open, ['/'])
    assert.notDeepEqual(findPrefixConflicts([{ name: 'things', prefixes: ['/'] }]), [])
  })
})
