import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DocumentInvalid } from '../../../src/features/services/document/document.ts'
import { document, prepared, refTo, returning } from '../../support/service-documents.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const schemasOf = (...args: Parameters<typeof prepared>): Any => prepared(...args).components['schemas']

describe("a service's document", () => {
  it('tells what is mounted: method, path, headers and whether it redirects', () => {
    const declared = document({
      '/v1/teams/{id}': {
        parameters: [{ in: 'header', name: 'X-Team-Hint', schema: { type: 'string' } }],
        get: {
          operationId: 'getTeam',
          responses: {
            200: { description: 'Fine', headers: { 'X-Total': { schema: { type: 'integer' } } } },
            302: { description: 'Elsewhere' },
          },
        },
      },
    })
    const { operations, title, version, leftOut } = prepared(declared)
    assert.deepEqual(operations, [
      {
        service: 'teams',
        method: 'GET',
        path: '/v1/teams/{id}',
        operationId: 'TeamsGetTeam',
        requestHeaders: ['x-team-hint'],
        responseHeaders: ['x-total'],
        redirects: true,
      },
    ])
    assert.deepEqual([title, version, leftOut], ['A service', '1.0.0', []])
  })

  it('loses the operations that its service may not have, each with a sentence', () => {
    const declared = document(
      {
        '/v1/teams': { get: returning({}), trace: returning({}) },
        '/v1/teams/': { get: returning({}) },
        '/v1/agent-configurations': { get: returning(refTo('Gone')) },
        '/v1/teams?x=1': { get: returning({}) },
        '/v1/teams/a b': { get: returning({}) },
      },
      { Gone: { type: 'object' } },
    )
    const { operations, leftOut, components } = prepared(declared)
    assert.deepEqual(
      operations.map(({ path }) => path),
      ['/v1/teams'],
    )
    assert.deepEqual(leftOut, [
      'TRACE /v1/teams is left out: the console does not forward TRACE.',
      'GET /v1/teams/ is left out: it matches the same requests as GET /v1/teams.',
      'GET /v1/agent-configurations is left out: it is outside the prefixes of teams.',
      'GET /v1/teams?x=1 is left out: it is outside the prefixes of teams.',
      'GET /v1/teams/a b is left out: its segment a b contains a character that the console does not support in paths.',
    ])
    assert.deepEqual(components, {})
  })

  it('gets the tags of its service, the security of the console, and no address of its own', () => {
    const own = { tags: ['mine'], security: [{ key: [] }], servers: [{ url: 'https://elsewhere.example' }] }
    const declared = document(
      { '/v1/teams': { get: returning({}, own), servers: own.servers } },
      {},
      {
        servers: own.servers,
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
      },
    )
    const { paths, components } = prepared(declared)
    assert.ok(!JSON.stringify(paths).includes('elsewhere'))
    const operation = (paths as Any)['/v1/teams'].get
    assert.deepEqual([operation.tags, operation.security], [['Teams', 'teams'], [{ bearer: [] }]])
    assert.deepEqual(components, {})
  })

  it('declares in the description of each operation which permission it needs, and that it is recorded', () => {
    const item = {
      get: returning({}, { description: 'Its own.' }),
      post: returning({}),
      options: returning({}),
    }
    const described = (changes: object) => {
      const { get, post, options } = (prepared(document({ '/v1/teams': item }), changes).paths as Any)[
        '/v1/teams'
      ]
      return [get, post, options].map(({ description }) => description)
    }
    assert.deepEqual(described({}), [
      'Its own.\n\nNeeds a valid token with a team and a user; no particular permission.',
      'Needs a valid token with a team and a user; no particular permission. The audit log records each call (`service_called`).',
      'Needs a valid token with a team and a user; no particular permission.',
    ])
    assert.deepEqual(described({ readPermission: 'teams:read', writePermission: 'teams:write' }), [
      'Its own.\n\nNeeds the permission `teams:read`.',
      'Needs the permission `teams:write`. The audit log records each call (`service_called`).',
      'Needs the permission `teams:read`.',
    ])
  })

  it('tells which parameter has the id of its agent, of the operation or of its path', () => {
    const named = (place: string, name: string) => ({ 'x-console-agent': { in: place, name } })
    const parameter = (place: string, name: string) => ({ in: place, name, schema: { type: 'string' } })
    const item = {
      parameters: [{ ...parameter('path', 'id'), required: true }, { $ref: '#/components/parameters/Agent' }],
      get: returning({}, named('path', 'id')),
      put: returning({}, named('header', 'X-AGENT')),
      post: returning({}, { ...named('query', 'agent'), parameters: [parameter('query', 'agent')] }),
      delete: returning({}),
    }
    const declared = document(
      { '/v1/teams/{id}': item },
      {},
      {
        components: { parameters: { Agent: parameter('header', 'x-agent') } },
      },
    )
    const { operations, paths } = prepared(declared, { budgetPriority: 'red_team' })
    assert.deepEqual(
      operations.map(({ method, agent }) => [method, agent]),
      [
        ['GET', { in: 'path', name: 'id' }],
        ['PUT', { in: 'header', name: 'x-agent' }],
        ['POST', { in: 'query', name: 'agent' }],
        ['DELETE', undefined],
      ],
    )
    const { get, post } = (paths as Any)['/v1/teams/{id}']
    assert.ok(
      get.description.endsWith(
        ' Takes a permit from the request budget of the agent in `id`, with the priority `red_team`.',
      ),
    )
    assert.deepEqual(
      [get, post].map(({ responses }) => '400' in responses),
      [false, true],
    )
  })

  it('is refused if it names a parameter for its agent that it does not have', () => {
    const declaring = (agent: unknown) => () =>
      prepared(document({ '/v1/teams': { get: returning({}, { 'x-console-agent': agent }) } }))
    const form =
      'x-console-agent of GET /v1/teams must be an object with `in` (path, query or header) and `name`.'
    for (const [agent, sentence] of [
      ['agent_id', form],
      [null, form],
      [{ in: 'cookie', name: 'a' }, form],
      [{ in: 'query', name: 1 }, form],
      [
        { in: 'query', name: 'a' },
        'x-console-agent of GET /v1/teams names the query parameter a, which the operation does not declare.',
      ],
    ] as const) {
      assert.throws(declaring(agent), (error) => {
        assert.ok(error instanceof DocumentInvalid)
        assert.deepEqual(error.errors, [sentence])
        return true
      })
    }
  })

  it('may be YAML', () => {
    const yaml = `
openapi: 3.1.0
info: { title: Teams, version: "2" }
paths:
  /v1/teams:
    get:
      operationId: listTeams
      responses:
        200: &fine
          description: Fine
        202: *fine
`
    const { version, operations } = prepared(yaml)
    assert.deepEqual([version, operations.length], ['2', 1])
  })

  it('in OpenAPI 3.0 is upgraded to 3.1', () => {
    const schemas = schemasOf({
      ...document(
        { '/v1/teams': { get: returning(refTo('Team')) } },
        {
          Team: {
            type: 'object',
            properties: {
              name: { type: 'string', nullable: true, example: 'Blue' },
              size: { type: 'integer', minimum: 0, exclusiveMinimum: true },
              kind: { nullable: true, oneOf: [{ type: 'integer' }, { type: 'boolean' }] },
              note: { type: 'string', nullable: false },
              colour: { nullable: true, enum: ['red'] },
            },
          },
        },
      ),
      openapi: '3.0.3',
    })
    assert.deepEqual(schemas.TeamsTeam.properties, {
      name: { type: ['string', 'null'], examples: ['Blue'] },
      size: { type: 'integer', exclusiveMinimum: 0 },
      kind: { oneOf: [{ type: 'integer' }, { type: 'boolean' }, { type: 'null' }] },
      note: { type: 'string' },
      colour: { enum: ['red', null] },
    })
  })

  const broken: Record<string, [content: object | string, fault: RegExp]> = {
    'is neither JSON nor YAML': ['{"openapi": ', /neither JSON nor YAML/],
    'is no object': ['[]', /not an object/],
    'is of another version': [{ ...document({}), openapi: '2.0' }, /version 2.0; 3.0 and 3.1 are understood/],
    'is too large': [`{"x":"${'x'.repeat(8 * 1024 * 1024)}"}`, /larger than 8388608 bytes/],
    'is too deep': [`{"x":${'['.repeat(200)}${']'.repeat(200)}}`, /deeper than 128 levels/],
    unfolds: [
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'.replaceAll(/./g, (name) => {
        const before = String.fromCharCode(name.charCodeAt(0) - 1)
        return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]\n`
      })}`,
      /neither JSON nor YAML: Excessive alias count|more than 1000000 values/,
    ],
    'contains itself': ['a: &a [*a]', /deeper than 128 levels/],
    'would change what its copies inherit': ['{"__proto__": {"x": 1}}', /__proto__/],
    'refers to another host': [
      document({ '/v1/teams': { get: returning({ $ref: 'http://127.0.0.1/secret.json' }) } }),
      /leads out of the document/,
    ],
    'refers to a file': [
      document({ '/v1/teams': { get: returning({ $ref: 'file:///etc/passwd' }) } }),
      /leads out of the document/,
    ],
    'refers to nothing': [document({ '/v1/teams': { get: returning(refTo('None')) } }), /leads nowhere/],
    'refers in a circle': [
      document({ '/v1/teams': { get: returning(refTo('A')) } }, { A: refTo('B'), B: refTo('A') }),
      /leads nowhere/,
    ],
    'breaks a rule of OpenAPI': [
      document({ '/v1/teams': { get: { responses: { 200: { description: 7 } } } } }),
      /type must be string \(#\/paths\/~1v1~1teams\/get\/responses\/200\/description\)/,
    ],
    'has a field that OpenAPI does not know': [
      document({ '/v1/teams': { get: returning({}, { colour: 'red' }) } }),
      /colour is not expected to be here \(#\/paths\/~1v1~1teams\/get\)/,
    ],
    'has a component with a name that is not allowed': [
      document({ '/v1/teams': { get: returning(refTo('Page[Team]')) } }, { 'Page[Team]': {} }),
      /must match pattern.*\(#\/components\/schemas\)/,
    ],
    'has a schema that is none': [
      document({ '/v1/teams': { get: returning(refTo('A')) } }, { A: { allOf: 7 } }),
      /must be array \(#\/components\/schemas\/A\/allOf\)/,
    ],
    'has a schema in a path that is none': [
      document({ '/v1/teams': { get: returning({ type: 'text' }) } }),
      /\(#\/paths\/~1v1~1teams\/get\/responses\/200\/content\/application~1json\/schema\/type\)/,
    ],
    'refers to an operation that is not mounted': [
      document({
        '/v1/teams': { get: { responses: { 200: { $ref: '#/paths/~1v1~1other/get/responses/200' } } } },
        '/v1/other': { get: returning({}) },
      }),
      /reference #\/paths\/~1v1~1other.* is not published/,
    ],
    'refers to a section that no document has': [
      document(
        { '/v1/teams': { get: returning({ $ref: '#/components/constructor/keys' }) } },
        {},
        { components: { constructor: { keys: { type: 'string' } } } },
      ),
      /reference #\/components\/constructor\/keys leads to a part that is not published/,
    ],
  }
  for (const [what, [content, fault]] of Object.entries(broken)) {
    it(`that ${what} is refused`, () => {
      assert.throws(
        () => prepared(content),
        (error) => {
          assert.ok(error instanceof DocumentInvalid, String(error))
          assert.match(error.message, fault)
          return true
        },
      )
    })
  }

  it('may name schemas in a mapping without saying where they are', () => {
    const pet = (name: string) => ({
      type: 'object',
      required: ['kind', name],
      properties: { kind: { type: 'string' }, [name]: { type: 'string' } },
    })
    const { paths } = prepared(
      document(
        {
          '/v1/teams': {
            get: returning({
              oneOf: [refTo('Cat'), refTo('Dog')],
              discriminator: { propertyName: 'kind', mapping: { c: 'Cat', d: '#/components/schemas/Dog' } },
            }),
          },
        },
        { Cat: pet('meow'), Dog: pet('bark') },
      ),
    )
    assert.match(
      JSON.stringify(paths),
      /"mapping":\{"c":"#\/components\/schemas\/TeamsCat","d":"#\/components\/schemas\/TeamsDog"\}/,
    )
  })

  for (const version of ['3.0.3', '3.1.0']) {
    it(`of ${version} may leave sections of YAML empty, and nothing else is lost by it`, () => {
      const { paths, operations } = prepared(`openapi: ${version}
info: { title: A service, version: '1' }
components:
  parameters:
  schemas:
    Team: { type: object, properties: { name: { type: string, enum: [a, null], default: null } } }
paths:
  /v1/teams:
    parameters:
    get:
      description:
      responses:
        200:
          description: fine
          headers:
          content: { application/json: { schema: { $ref: '#/components/schemas/Team' } } }
`)
      assert.equal(operations.length, 1)
      assert.ok(!JSON.stringify(paths).includes('null'))
    })
  }

  it('may have a boolean as a schema', () => {
    assert.deepEqual(schemasOf(document({ '/v1/teams': { get: returning(refTo('Any')) } }, { Any: true })), {
      TeamsAny: true,
    })
  })

  it('may hold references as data', () => {
    const value = { $ref: 'http://127.0.0.1/not-fetched.json' }
    const declared = document(
      { '/v1/teams': { get: returning(refTo('Team')) } },
      {
        Team: {
          type: 'object',
          properties: { $ref: { type: 'string' }, example: refTo('Name') },
          default: value,
          'x-more': value,
        },
        Name: { type: 'string' },
      },
    )
    assert.deepEqual(Object.keys(schemasOf(declared)).toSorted(), ['TeamsName', 'TeamsTeam'])
  })

  it('may contain itself by reference', () => {
    const declared = document(
      { '/v1/teams': { get: returning(refTo('Team')) } },
      {
        Team: { type: 'object', properties: { parent: refTo('Team') } },
      },
    )
    assert.deepEqual(Object.keys(schemasOf(declared)), ['TeamsTeam'])
  })
})

describe('what a document leaves open', () => {
  it('an operation without an id gets one, and each gets the responses of the console', () => {
    const { paths, operations } = prepared(
      document({ '/v1/teams/{id}': { get: { responses: { 302: { description: 'Elsewhere' } } } } }),
    )
    const { get } = (paths as Any)['/v1/teams/{id}']
    assert.equal(get.operationId, 'TeamsGet_v1_teams_id_')
    assert.equal(operations[0]?.operationId, get.operationId)
    assert.deepEqual(Object.keys(get.responses), [
      '302',
      '401',
      '403',
      '404',
      '429',
      '500',
      '502',
      '503',
      '504',
    ])
  })

  it('operations of one id get different ones', () => {
    const named = returning({}, { operationId: 'list teams' })
    const { operations } = prepared(document({ '/v1/teams': { get: named }, '/v1/teams/x': { get: named } }))
    assert.deepEqual(
      operations.map(({ operationId }) => operationId),
      ['TeamsList_teams', 'TeamsList_teams_'],
    )
  })

  it('a name of the console cannot be published', () => {
    const declared = document({ '/v1/teams': { get: returning(refTo('Update')) } }, { Update: {} })
    assert.throws(() => prepared(declared, { name: 'agent' }), {
      message: "It would publish schemas/AgentUpdate, which is the console's own.",
    })
  })
})
