import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DocumentBroken } from '../../src/services/documents/read.ts'
import { answering, document, prepared, refTo, sending } from './described.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const schemasOf = async (...args: Parameters<typeof prepared>): Promise<Any> =>
  (await prepared(...args)).components['schemas']
const operationOf = async (...args: Parameters<typeof prepared>): Promise<Any> =>
  ((await prepared(...args)).paths as Any)['/v1/teams'].get

describe("a service's document", () => {
  it('tells what is mounted: method, path, headers and whether it redirects', async () => {
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
    const { operations, title, version, leftOut } = await prepared(declared)
    assert.deepEqual(operations, [
      {
        service: 'teams',
        method: 'GET',
        path: '/v1/teams/{id}',
        operationId: 'getTeam',
        requestHeaders: ['x-team-hint'],
        responseHeaders: ['x-total'],
        redirects: true,
        consoleStatuses: ['401', '404', '500', '502', '503', '504'],
      },
    ])
    assert.deepEqual([title, version, leftOut], ['A service', '1.0.0', []])
  })

  it('loses the operations that its service may not have, each with a sentence', async () => {
    const declared = document(
      {
        '/v1/teams': { get: answering({}), trace: answering({}) },
        '/v1/teams/': { get: answering({}) },
        '/v1/agent-configurations': { get: answering(refTo('Gone')) },
        '/v1/teams?x=1': { get: answering({}) },
        '/v1/teams/a b': { get: answering({}) },
      },
      { Gone: { type: 'object' } },
    )
    const { operations, leftOut, components } = await prepared(declared)
    assert.deepEqual(
      operations.map(({ path }) => path),
      ['/v1/teams'],
    )
    assert.deepEqual(leftOut, [
      'TRACE /v1/teams is left out: the console passes no TRACE on.',
      'GET /v1/teams/ is left out: it is the same path as GET /v1/teams.',
      'GET /v1/agent-configurations is left out: it is outside the prefixes of teams.',
      'GET /v1/teams?x=1 is left out: it is outside the prefixes of teams.',
      'GET /v1/teams/a b is left out: its segment a b has a character that is not routed here.',
    ])
    assert.deepEqual(components, {})
  })

  it('gets the tag of its service, the security of the console, and no address of its own', async () => {
    const own = { tags: ['mine'], security: [{ key: [] }], servers: [{ url: 'https://elsewhere.example' }] }
    const declared = document(
      { '/v1/teams': { get: answering({}, own), servers: own.servers } },
      {},
      {
        servers: own.servers,
        components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x-key' } } },
      },
    )
    const { paths, components } = await prepared(declared)
    assert.ok(!JSON.stringify(paths).includes('elsewhere'))
    const operation = (paths as Any)['/v1/teams'].get
    assert.deepEqual([operation.tags, operation.security], [['Teams'], [{ bearer: [] }]])
    assert.deepEqual(components, {})
  })

  it('may be YAML', async () => {
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
    const { version, operations } = await prepared(yaml)
    assert.deepEqual([version, operations.length], ['2', 1])
  })

  it('in OpenAPI 3.0 is lifted to 3.1', async () => {
    const schemas = await schemasOf({
      ...document(
        { '/v1/teams': { get: answering(refTo('Team')) } },
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
    assert.deepEqual(schemas.Team.properties, {
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
      document({ '/v1/teams': { get: answering({ $ref: 'http://127.0.0.1/secret.json' }) } }),
      /leads out of the document/,
    ],
    'refers to a file': [
      document({ '/v1/teams': { get: answering({ $ref: 'file:///etc/passwd' }) } }),
      /leads out of the document/,
    ],
    'refers to nothing': [document({ '/v1/teams': { get: answering(refTo('None')) } }), /leads nowhere/],
    'refers in a circle': [
      document({ '/v1/teams': { get: answering(refTo('A')) } }, { A: refTo('B'), B: refTo('A') }),
      /leads nowhere/,
    ],
    'breaks a rule of OpenAPI': [
      document({ '/v1/teams': { get: { responses: { 200: { description: 7 } } } } }),
      /Expected type `string`.*\(#\/paths\/~1v1~1teams\/get\/responses\/200\/description\)/,
    ],
    'has paths that differ by a name only': [
      document({ '/v1/teams/{a}': { get: answering({}) }, '/v1/teams/{b}': { put: answering({}) } }),
      /differs only by path parameter/,
    ],
  }
  for (const [what, [content, fault]] of Object.entries(broken)) {
    it(`that ${what} is refused`, async () => {
      await assert.rejects(prepared(content), (error) => {
        assert.ok(error instanceof DocumentBroken, String(error))
        assert.match(error.message, fault)
        return true
      })
    })
  }

  it('may name schemas in a mapping without saying where they are', async () => {
    const pet = (name: string) => ({
      type: 'object',
      required: ['kind', name],
      properties: { kind: { type: 'string' }, [name]: { type: 'string' } },
    })
    const { paths } = await prepared(
      document(
        {
          '/v1/teams': {
            get: answering({
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
      /"mapping":\{"c":"#\/components\/schemas\/Cat","d":"#\/components\/schemas\/Dog"\}/,
    )
  })

  for (const version of ['3.0.3', '3.1.0']) {
    it(`of ${version} may leave sections of YAML empty, and nothing else is lost by it`, async () => {
      const { paths, operations } = await prepared(`openapi: ${version}
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

  it('may hold references as data', async () => {
    const value = { $ref: 'http://127.0.0.1/not-fetched.json' }
    const declared = document(
      { '/v1/teams': { get: answering(refTo('Team')) } },
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
    assert.deepEqual(Object.keys(await schemasOf(declared)).toSorted(), ['Name', 'Team'])
  })

  it('may contain itself by reference', async () => {
    const declared = document(
      { '/v1/teams': { get: answering(refTo('Team')) } },
      {
        Team: { type: 'object', properties: { parent: refTo('Team') } },
      },
    )
    assert.deepEqual(Object.keys(await schemasOf(declared)), ['Team'])
  })
})

describe('a fault that changes nothing on the wire is mended', () => {
  const ofSchema = async (schema: object, schemas: object = {}): Promise<Any> =>
    (await schemasOf(document({ '/v1/teams': { get: answering(refTo('It')) } }, { It: schema, ...schemas })))
      .It

  it('examples that do not fit are dropped, others stay', async () => {
    assert.deepEqual(await ofSchema({ type: 'integer', examples: [1, 'one', 2, 'two'] }), {
      type: 'integer',
      examples: [1, 2],
    })
  })

  it('values of an enumeration that are given twice or never fit are dropped', async () => {
    assert.deepEqual(await ofSchema({ type: 'string', enum: ['a', 'a', 3, 'b'] }), {
      type: 'string',
      enum: ['a', 'b'],
    })
  })

  it('a required property that is not described may be anything', async () => {
    assert.deepEqual(await ofSchema({ type: 'object', required: ['id'] }), {
      type: 'object',
      required: ['id'],
      properties: { id: {} },
    })
  })

  it('words beside a reference move to where they count', async () => {
    const it = await ofSchema(
      { type: 'object', properties: { a: { ...refTo('Other'), description: 'Said here' } } },
      { Other: { type: 'string' } },
    )
    assert.deepEqual(it.properties.a, { description: 'Said here', allOf: [refTo('Other')] })
  })

  it('one alternative is none, and overlapping ones no longer exclude each other', async () => {
    assert.deepEqual(await ofSchema({ anyOf: [{ type: 'string' }] }), { type: 'string' })
    const member = (name: string) => ({
      type: 'object',
      properties: { [name]: {}, kind: { type: 'string' } },
    })
    assert.deepEqual(await ofSchema({ oneOf: [member('a'), member('b')] }), {
      anyOf: [member('a'), member('b')],
    })
  })

  it('names that a component may not have are spelled', async () => {
    const declared = document(
      { '/v1/teams': { get: answering(refTo('Page[Team]')), put: sending(refTo('Page[Team]')) } },
      { 'Page[Team]': { type: 'object', properties: { next: refTo('Page[Team]') } } },
    )
    assert.deepEqual(await schemasOf(declared), {
      Page_Team_: { type: 'object', properties: { next: refTo('Page_Team_') } },
    })
  })

  it('an operation gets the id, the summary, the parameters and the answers it lacks', async () => {
    const { paths, operations } = await prepared(
      document({
        '/v1/teams/{id}': {
          get: {
            parameters: [{ in: 'path', name: 'other', required: true, schema: { type: 'string' } }],
            responses: { 302: { description: 'Elsewhere' } },
          },
        },
      }),
    )
    const { get } = (paths as Any)['/v1/teams/{id}']
    assert.equal(get.summary, 'GET /v1/teams/{id}')
    assert.equal(operations[0]?.operationId, get.operationId)
    assert.deepEqual(get.parameters, [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }])
    assert.deepEqual(Object.keys(get.responses), ['302', '401', '404', '500', '502', '503', '504', 'default'])
  })

  it('what OpenAPI does not know is dropped, and text that would be run by a page', async () => {
    const operation = await operationOf(
      document({
        '/v1/teams': {
          get: answering({}, { colour: 'red', description: '<script>alert(1)</script>' }),
        },
      }),
    )
    assert.equal(operation.colour, undefined)
    assert.equal(operation.description, undefined)
  })

  it('operations of one name are told apart', async () => {
    const named = answering({}, { operationId: 'list' })
    const { operations } = await prepared(
      document({ '/v1/teams': { get: named }, '/v1/teams/x': { get: named } }),
    )
    assert.deepEqual(
      operations.map(({ operationId }) => operationId),
      ['list', 'list_2'],
    )
  })

  it('components whose names are spelled alike here stay two', async () => {
    const { components } = await prepared(
      document(
        {
          '/v1/teams': { get: answering(refTo('Команда')) },
          '/v1/teams/x': { get: answering(refTo('Отчёт')) },
        },
        { Команда: { type: 'string' }, Отчёт: { type: 'integer' } },
      ),
    )
    const types = Object.values(components['schemas'] ?? {}).map((schema) => (schema as Any).type)
    assert.deepEqual(new Set(types), new Set(['string', 'integer']))
  })
})
