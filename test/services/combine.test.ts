import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { combine } from '../../src/services/documents/combine.ts'
import { lint } from '../../src/services/documents/lint.ts'
import type { Prepared } from '../../src/services/documents/prepared.ts'
import { type Node, segmentsOf, valueAt, walk } from '../../src/services/documents/tree.ts'
import { answering, document, prepared, refTo, sending } from './described.ts'
import { findDifference } from './meaning.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const ROOT = join(import.meta.dirname, '../..')
const OWN = readFileSync(join(ROOT, 'openapi.json'), 'utf8')
const combined = (...services: Prepared[]): Any => combine(JSON.parse(OWN) as Node, services)

const teams = (content: object) => prepared(content)
const redTeam = (content: object) =>
  prepared(content, { name: 'red-team', tag: 'Red Team', prefixes: ['/v1/campaigns'] })

/** References that lead nowhere, wherever they are written. */
function dangling(whole: Node): string[] {
  const lost: string[] = []
  const look = (reference: unknown) => {
    if (typeof reference === 'string' && valueAt(whole, segmentsOf(reference)) === undefined)
      lost.push(reference)
  }
  walk(whole, (node) => {
    look(node['$ref'])
    look(node['operationRef'])
    const mapping = (node['discriminator'] as Any)?.mapping ?? {}
    for (const target of Object.values(mapping) as string[]) {
      look(target.startsWith('#') ? target : `#/components/schemas/${target}`)
    }
  })
  return lost
}

describe('the combined document', () => {
  it('tells apart what is renamed and differs only in how its name begins', async () => {
    const twice = (path: string, type: string) =>
      document(
        {
          [path]: {
            get: answering(refTo('Report'), { operationId: 'list' }),
            put: answering(refTo('report'), { operationId: 'List' }),
          },
        },
        { Report: { type }, report: { type, minLength: 1 } },
      )
    const whole = combined(
      await teams(twice('/v1/teams', 'string')),
      await redTeam(twice('/v1/campaigns', 'object')),
    )
    const { get, put } = whole.paths['/v1/campaigns']
    const schemaOf = ({ responses }: Any) => responses[200].content['application/json'].schema.$ref
    assert.notEqual(schemaOf(get), schemaOf(put))
    assert.notEqual(get.operationId, put.operationId)
  })

  it('leaves what is the console’s own as it is, to the byte', async () => {
    const whole = combined(
      await teams(
        document(
          { '/v1/teams': { get: answering(refTo('Agent'), { operationId: 'createGenome' }) } },
          {
            Agent: { type: 'object', properties: { shirt: { type: 'integer' } } },
          },
        ),
      ),
    )
    const own = JSON.parse(OWN)
    for (const [path, item] of Object.entries(own.paths)) {
      assert.equal(JSON.stringify(whole.paths[path]), JSON.stringify(item), path)
    }
    for (const [section, members] of Object.entries(own.components)) {
      for (const [name, member] of Object.entries(members as object)) {
        assert.equal(JSON.stringify(whole.components[section][name]), JSON.stringify(member), name)
      }
    }
    assert.deepEqual(whole.info, own.info)
    assert.equal(whole.openapi, '3.1.0')
    assert.equal(whole.paths['/v1/teams'].get.operationId, 'teamsCreateGenome')
    assert.equal(whole.components.schemas.TeamsAgent.properties.shirt.type, 'integer')
    assert.deepEqual(dangling(whole), [])
  })

  it('without services is the console’s own', () => {
    assert.equal(`${JSON.stringify(combined(), null, 2)}\n`, OWN)
  })

  it('keeps a name that only one uses, and shares what two declare alike', async () => {
    const schemas = {
      Report: { type: 'object', properties: { by: refTo('Person') } },
      Person: { type: 'object', properties: { name: { type: 'string' } } },
    }
    const one = await teams(document({ '/v1/teams': { get: answering(refTo('Report')) } }, schemas))
    const two = await redTeam(document({ '/v1/campaigns': { get: answering(refTo('Report')) } }, schemas))
    assert.deepEqual(
      Object.keys(combined(one, two).components.schemas).filter((name) => /Report|Person/.test(name)),
      ['Report', 'Person'],
    )
  })

  it('renames what two declare differently, and whatever refers to it', async () => {
    const schemas = (type: string) => ({
      Report: { type: 'object', properties: { by: refTo('Person') } },
      Person: { type: 'object', properties: { name: { type } } },
      Same: { type: 'string' },
    })
    const paths = { get: answering(refTo('Report')), put: sending(refTo('Same')) }
    const one = await teams(document({ '/v1/teams': paths }, schemas('string')))
    const two = await redTeam(document({ '/v1/campaigns': paths }, schemas('integer')))
    const whole = combined(one, two)
    assert.deepEqual(whole.components.schemas.RedTeamReport.properties.by, refTo('RedTeamPerson'))
    assert.equal(whole.components.schemas.RedTeamPerson.properties.name.type, 'integer')
    assert.equal(whole.components.schemas.Person.properties.name.type, 'string')
    assert.equal(whole.components.schemas.RedTeamSame, undefined)
    assert.deepEqual(
      whole.paths['/v1/campaigns'].get.responses['200'].content['application/json'].schema,
      refTo('RedTeamReport'),
    )
    assert.deepEqual(await lint(whole), [])
  })

  it('takes no longer for components that all refer to each other', async () => {
    const circle = (size: number, last: object) =>
      Object.fromEntries(
        Array.from({ length: size }, (_, index) => {
          const all = index > 0 ? [] : Array.from({ length: size }, (_, to) => [`to_${to}`, refTo(`C${to}`)])
          const properties = { hub: refTo('C0'), ...Object.fromEntries(all) }
          return [`C${index}`, { type: 'object', properties, ...(index === size - 1 ? last : {}) }]
        }),
      )
    const get = { get: answering(refTo('C0')) }
    const one = await teams(document({ '/v1/teams': get }, circle(4_000, {})))
    const same = await redTeam(document({ '/v1/campaigns': get }, circle(4_000, {})))
    const other = await redTeam(document({ '/v1/campaigns': get }, circle(4_000, { minProperties: 1 })))
    const startedAt = performance.now()
    const names = (whole: Any) => Object.keys(whole.components.schemas).filter((name) => /C\d+$/.test(name))
    assert.equal(names(combined(one, same)).length, 4_000)
    assert.equal(names(combined(one, other)).length, 8_000)
    const tookMs = performance.now() - startedAt
    assert.ok(tookMs < 5_000, `${tookMs} ms`)
  })

  it('renames whoever extends a base at any distance, and maps it', async () => {
    const schemas = (type: string) => ({
      Base: {
        type: 'object',
        required: ['kind'],
        properties: { kind: { type: 'string' } },
        discriminator: { propertyName: 'kind' },
      },
      Mid: { allOf: [refTo('Base'), { type: 'object', properties: { a: { type: 'string' } } }] },
      Leaf: { allOf: [refTo('Mid'), { type: 'object', properties: { b: { type } } }] },
    })
    const get = { get: answering(refTo('Base')) }
    const whole = combined(
      await teams(document({ '/v1/teams': get }, schemas('string'))),
      await redTeam(document({ '/v1/campaigns': get }, schemas('integer'))),
    )
    assert.deepEqual(whole.components.schemas.RedTeamBase.discriminator.mapping, {
      Leaf: '#/components/schemas/RedTeamLeaf',
      Mid: '#/components/schemas/RedTeamMid',
    })
    assert.deepEqual(await lint(whole), [])
  })

  it('renames in discriminators: mapped by reference, by name, or by no mapping at all', async () => {
    const kind = { kind: { type: 'string' } }
    const schemas = (type: string) => ({
      Cat: { type: 'object', required: ['kind'], properties: { ...kind, meow: { type } } },
      Dog: { type: 'object', required: ['kind'], properties: { ...kind, bark: { type } } },
      Pet: {
        oneOf: [refTo('Cat'), refTo('Dog')],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat', dog: 'Dog' } },
      },
      Guest: { oneOf: [refTo('Cat'), refTo('Dog')], discriminator: { propertyName: 'kind' } },
      Base: { type: 'object', required: ['kind'], properties: kind, discriminator: { propertyName: 'kind' } },
      Special: { allOf: [refTo('Base'), { type: 'object', properties: { extra: { type } } }] },
    })
    const item = {
      get: answering(refTo('Pet')),
      put: sending(refTo('Guest')),
      post: answering(refTo('Base')),
    }
    const one = await teams(document({ '/v1/teams': item }, schemas('string')))
    const two = await redTeam(document({ '/v1/campaigns': item }, schemas('integer')))
    const { schemas: all } = combined(one, two).components
    assert.deepEqual(all.RedTeamPet.discriminator.mapping, {
      cat: '#/components/schemas/RedTeamCat',
      dog: '#/components/schemas/RedTeamDog',
    })
    // The value on the wire is still `Cat`.
    assert.deepEqual(all.RedTeamGuest.discriminator.mapping, {
      Cat: '#/components/schemas/RedTeamCat',
      Dog: '#/components/schemas/RedTeamDog',
    })
    assert.deepEqual(all.RedTeamBase.discriminator.mapping, {
      Special: '#/components/schemas/RedTeamSpecial',
    })
    assert.deepEqual(all.RedTeamSpecial.allOf[0], refTo('RedTeamBase'))
    assert.equal(all.Guest.discriminator.mapping, undefined)
    assert.deepEqual(await lint(combined(one, two)), [])
  })

  it('renames operations, and the links that lead to them; a link to nothing is dropped', async () => {
    const links = {
      byId: { operationId: 'getThing' },
      byPlace: { operationRef: '#/paths/~1v1~1campaigns~1{id}/get' },
      byComponent: { $ref: '#/components/links/Shared' },
      outside: { operationId: 'elsewhere' },
      abroad: { operationRef: 'https://other.example/openapi.json#/paths/~1x/get' },
    }
    const content = (path: string) =>
      document(
        {
          [path]: { get: { responses: { 200: { description: 'Fine', links } } } },
          [`${path}/{id}`]: { get: answering({}, { operationId: 'getThing' }) },
          '/v1/elsewhere': { get: answering({}, { operationId: 'elsewhere' }) },
        },
        {},
        { components: { links: { Shared: { operationId: 'getThing', description: 'Shared' } } } },
      )
    const whole = combined(await teams(content('/v1/teams')), await redTeam(content('/v1/campaigns')))
    assert.deepEqual(whole.paths['/v1/campaigns'].get.responses['200'].links, {
      byId: { operationId: 'redTeamGetThing' },
      byPlace: { operationRef: '#/paths/~1v1~1campaigns~1{id}/get' },
      byComponent: { description: 'Shared', operationId: 'redTeamGetThing' },
    })
    assert.equal(whole.paths['/v1/campaigns/{id}'].get.operationId, 'redTeamGetThing')
    assert.deepEqual(Object.keys(whole.paths['/v1/teams'].get.responses['200'].links), [
      'byId',
      'byComponent',
    ])
    assert.deepEqual(dangling(whole), [])
    assert.deepEqual(await lint(whole), [])
  })

  it('renames in callbacks, where they stand and in components', async () => {
    const content = (path: string, type: string) => {
      const callback = {
        '{$request.body#/url}': { post: sending(refTo('Event'), { operationId: 'onEvent' }) },
      }
      return document(
        {
          [path]: {
            post: sending({}, { callbacks: { own: callback, shared: { $ref: '#/components/callbacks/C' } } }),
          },
        },
        {},
        {
          components: {
            schemas: { Event: { type: 'object', properties: { a: { type } } } },
            callbacks: { C: { '{$request.body#/other}': { post: sending(refTo('Event')) } } },
          },
        },
      )
    }
    const whole = combined(
      await teams(content('/v1/teams', 'string')),
      await redTeam(content('/v1/campaigns', 'integer')),
    )
    const { callbacks } = whole.paths['/v1/campaigns'].post
    const { post } = callbacks.own['{$request.body#/url}']
    assert.equal(post.operationId, 'redTeamOnEvent')
    assert.deepEqual(post.requestBody.content['application/json'].schema, refTo('RedTeamEvent'))
    assert.deepEqual(callbacks.shared, { $ref: '#/components/callbacks/RedTeamC' })
    assert.deepEqual(dangling(whole), [])
    assert.deepEqual(await lint(whole), [])
  })

  it('says what the console answers where the service does not', async () => {
    const refused = { 401: { description: 'By the service' } }
    const { responses } = answering({})
    const whole = combined(
      await teams(document({ '/v1/teams': { get: { responses: { ...responses, ...refused } } } })),
    )
    const answers = whole.paths['/v1/teams'].get.responses
    assert.equal(answers['401'].description, 'By the service')
    assert.deepEqual(answers['503'], { $ref: '#/components/responses/Console503' })
    assert.deepEqual(
      Object.keys(whole.components.responses.Console503.content['application/json'].examples),
      ['issuer_unavailable', 'upstream_unavailable'],
    )
  })

  it('passes the linter that the repository itself is held to', async () => {
    const whole = combined(
      await teams({
        ...document(
          { '/v1/teams/{id}': { get: answering(refTo('Problem')), put: sending(refTo('Agent')) } },
          {
            Problem: { type: 'object', nullable: true, properties: { a: { type: 'string', example: 3 } } },
            Agent: { type: 'object', required: ['x'] },
          },
        ),
        openapi: '3.0.3',
      }),
      await prepared(document({ '/v1/new': { get: answering({}) } }), {
        name: 'new',
        tag: 'A tag of its own',
        prefixes: ['/v1/new'],
      }),
    )
    assert.deepEqual(whole.tags.at(-1), { name: 'A tag of its own', description: 'Operations of A service' })
    const folder = mkdtempSync(join(tmpdir(), 'console-combined-'))
    try {
      const file = join(folder, 'openapi.json')
      writeFileSync(file, JSON.stringify(whole))
      const linter = join(ROOT, 'node_modules/@redocly/cli/bin/cli.js')
      const args = [linter, 'lint', '--config', join(ROOT, 'redocly.yaml'), file]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      assert.equal(status, 0, stdout + stderr)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it('never has a reference that leads nowhere, and always passes, whatever is combined', async () => {
    const name = fc.constantFrom('Report', 'Agent', 'Problem', 'Page[A]', 'Item', 'RedTeamItem')
    const schema = fc.letrec<{ schema: object }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('string', 'integer', 'boolean').map((type) => ({ type })),
        name.map(refTo),
        fc.tuple(name, name).map(([a, b]) => ({
          oneOf: [refTo(a), refTo(b)],
          discriminator: { propertyName: 'kind' },
        })),
        fc
          .dictionary(fc.constantFrom('a', 'example', 'default', '$ref', 'kind'), tie('schema'))
          .map((properties) => ({
            type: 'object',
            properties,
          })),
        tie('schema').map((items) => ({ type: 'array', items })),
        fc.array(tie('schema'), { maxLength: 3 }).map((allOf) => ({ allOf })),
      ),
    })).schema
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), schema).map((properties) => ({
      type: 'object',
      properties,
    }))
    const content = (path: string) =>
      fc
        .record({ sent: schema, got: schema, schemas: fc.array(object, { minLength: 6, maxLength: 6 }) })
        .map(({ sent, got, schemas: [Report, Agent, Problem, Page, Item, RedTeamItem] }) => ({
          ...document(
            { [`${path}/{id}`]: { get: answering(got, { operationId: 'get' }), put: sending(sent) } },
            { Report, Agent, Problem, 'Page[A]': Page, Item, RedTeamItem },
          ),
        }))
    await fc.assert(
      fc.asyncProperty(content('/v1/teams'), content('/v1/campaigns'), async (one, two) => {
        const whole = combined(await teams(one), await redTeam(two))
        assert.deepEqual(dangling(whole), [])
        assert.deepEqual(await lint(whole), [])
      }),
      { numRuns: 40 },
    )
  })

  it('says of each operation what its service says, whatever the names', async () => {
    const NAMES = ['A', 'B', 'C', 'D', 'Problem', 'Agent']
    const name = fc.constantFrom(...NAMES)
    const plain = fc.constantFrom('string', 'integer').map((type) => ({ type }))
    const reference = name.map(refTo)
    const member = fc.oneof(
      reference,
      plain,
      reference.map((items) => ({ type: 'array', items })),
    )
    const kind = { required: ['kind'], properties: { kind: { type: 'string' } } }
    const discriminator = { propertyName: 'kind' }
    const schema = fc.oneof(
      plain,
      fc.dictionary(fc.constantFrom('p', 'q', 'mapping'), member).map((properties) => ({
        ...{ type: 'object', properties },
      })),
      fc.tuple(name, plain).map(([base, x]) => ({
        allOf: [refTo(base), { type: 'object', properties: { x } }],
      })),
      fc.boolean().map((more) => ({
        ...{ type: 'object', ...kind, discriminator, ...(more ? { minProperties: 1 } : {}) },
      })),
      fc
        .tuple(fc.uniqueArray(name, { minLength: 2, maxLength: 3 }), fc.constantFrom('none', 'bare', 'whole'))
        .map(([names, spelling]) => {
          const mapping = Object.fromEntries(
            names.map((one, index) => [`v${index}`, spelling === 'bare' ? one : refTo(one).$ref]),
          )
          const mapped = spelling === 'none' ? discriminator : { ...discriminator, mapping }
          return { oneOf: names.map(refTo), discriminator: mapped }
        }),
    )
    const schemas = fc.record(Object.fromEntries(NAMES.map((one) => [one, schema])))
    const used = fc.uniqueArray(name, { minLength: 1, maxLength: 3 })
    const content = (path: string, names: string[], all: object) =>
      document(
        Object.fromEntries(
          names.map((one) => [`${path}/${one}`, { get: answering(refTo(one), { operationId: one }) }]),
        ),
        all,
      )
    await fc.assert(
      fc.asyncProperty(fc.tuple(used, used, used), schemas, schemas, async (names, first, second) => {
        const parts = [
          await teams(content('/v1/teams', names[0], first)),
          await redTeam(content('/v1/campaigns', names[1], second)),
          // In part the same as one before it, which may have been renamed.
          await prepared(content('/v1/third', names[2], { ...first, A: second['A'], B: second['B'] }), {
            ...{ name: 'third', tag: 'Third', prefixes: ['/v1/third'] },
          }),
        ]
        const whole = combined(...parts)
        for (const part of parts) {
          for (const { path } of part.operations) {
            const said = ({ paths }: Any) => paths[path].get.responses['200']
            const document = { ...part } as unknown as Node
            const difference = findDifference(
              { document, part: said(document) },
              { document: whole, part: said(whole) },
            )
            assert.equal(difference, undefined)
          }
        }
      }),
      { numRuns: Number(process.env['COMBINATIONS'] ?? 100) },
    )
  })
})
