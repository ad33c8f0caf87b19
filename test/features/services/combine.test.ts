import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { combine, type PreparedParts } from '../../../src/features/services/document/combine.ts'
import { type Node, segmentsOf, valueAt, walk } from '../../../src/features/services/document/document.ts'
import { validateDocument } from '../../../src/features/services/document/read.ts'
import { document, prepared, refTo, returning, sending } from '../../support/service-documents.ts'
import { sized } from '../../support/sized.ts'
import { findDifference } from './meaning.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it expects of a document
type Any = any

const OWN = readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8')
/** The combined document, which is valid. */
const combined = (...services: PreparedParts[]): Any => {
  const whole = combine(JSON.parse(OWN) as Node, services)
  validateDocument(structuredClone(whole))
  assert.deepEqual(dangling(whole), [])
  return whole
}

const TEAMS = { name: 'teams', tag: 'Teams', prefixes: ['/v1/teams'] }
const RED_TEAM = { name: 'red-team', tag: 'Red Team', prefixes: ['/v1/campaigns'] }
const teams = (content: object) => prepared(content, TEAMS)
const redTeam = (content: object) => prepared(content, RED_TEAM)

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
  it('has an id of its own for each operation, even if two differ only in the case of their first letter', () => {
    const item = {
      get: returning({}, { operationId: 'list' }),
      put: returning({}, { operationId: 'List' }),
    }
    const { get, put } = combined(teams(document({ '/v1/teams': item }))).paths['/v1/teams']
    assert.deepEqual([get.operationId, put.operationId], ['TeamsList', 'TeamsList_'])
  })

  it('refuses a document with two components that would get the same name', () => {
    const item = { get: returning(refTo('Report')), put: returning(refTo('report')) }
    assert.throws(() => teams(document({ '/v1/teams': item }, { Report: {}, report: {} })), {
      message: 'Two components would be published as TeamsReport.',
    })
  })

  it('leaves what is the console’s own as it is, to the byte', () => {
    const whole = combined(
      teams(
        document(
          { '/v1/teams': { get: returning(refTo('Agent'), { operationId: 'createGenome' }) } },
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
    assert.equal(whole.paths['/v1/teams'].get.operationId, 'TeamsCreateGenome')
    assert.equal(whole.components.schemas.TeamsAgent.properties.shirt.type, 'integer')
  })

  it('without services is the console’s own', () => {
    assert.equal(`${JSON.stringify(combined(), null, 2)}\n`, OWN)
  })

  it('names components and operations by their service, and whatever refers to them', () => {
    const schemas = {
      Report: { type: 'object', properties: { by: refTo('person') } },
      person: { type: 'object', properties: { name: { type: 'integer' } } },
    }
    const item = { get: returning(refTo('Report'), { operationId: 'list' }) }
    const whole = combined(redTeam(document({ '/v1/campaigns': item }, schemas)))
    assert.deepEqual(whole.components.schemas.RedTeamReport.properties.by, refTo('RedTeamPerson'))
    assert.equal(whole.components.schemas.RedTeamPerson.properties.name.type, 'integer')
    const { get } = whole.paths['/v1/campaigns']
    assert.equal(get.operationId, 'RedTeamList')
    assert.deepEqual(get.responses['200'].content['application/json'].schema, refTo('RedTeamReport'))
  })

  it('changes no name of a service when another publishes the same names, whichever comes first', () => {
    const content = (path: string, type: string) =>
      document(
        { [path]: { get: returning(refTo('Report'), { operationId: 'listReports' }) } },
        { Report: { type: 'object', properties: { id: { type } } } },
      )
    const one = () => teams(content('/v1/teams', 'string'))
    const other = () => redTeam(content('/v1/campaigns', 'integer'))
    const namesOf = (path: string, ...services: PreparedParts[]) => {
      const { get } = combined(...services).paths[path]
      return [get.operationId, get.responses['200'].content['application/json'].schema.$ref]
    }
    const teamsAlone = namesOf('/v1/teams', one())
    const redTeamAlone = namesOf('/v1/campaigns', other())
    assert.deepEqual(teamsAlone, ['TeamsListReports', '#/components/schemas/TeamsReport'])
    assert.deepEqual(redTeamAlone, ['RedTeamListReports', '#/components/schemas/RedTeamReport'])
    for (const services of [() => [one(), other()], () => [other(), one()]]) {
      assert.deepEqual(namesOf('/v1/teams', ...services()), teamsAlone)
      assert.deepEqual(namesOf('/v1/campaigns', ...services()), redTeamAlone)
    }
  })

  it('maps the schemas that extend a base, at any distance', () => {
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
    const get = { get: returning(refTo('Base')) }
    const whole = combined(
      teams(document({ '/v1/teams': get }, schemas('string'))),
      redTeam(document({ '/v1/campaigns': get }, schemas('integer'))),
    )
    assert.deepEqual(whole.components.schemas.RedTeamBase.discriminator.mapping, {
      Leaf: '#/components/schemas/RedTeamLeaf',
      Mid: '#/components/schemas/RedTeamMid',
    })
  })

  it('renames in discriminators: mapped by reference, by name, or by no mapping at all', () => {
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
      get: returning(refTo('Pet')),
      put: sending(refTo('Guest')),
      post: returning(refTo('Base')),
    }
    const one = teams(document({ '/v1/teams': item }, schemas('string')))
    const two = redTeam(document({ '/v1/campaigns': item }, schemas('integer')))
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
  })

  it('renames links with the operations they lead to, and drops links to nothing', () => {
    const links = {
      byId: { operationId: 'getThing' },
      byPlace: { operationRef: '#/paths/~1v1~1campaigns~1%7Bid%7D/get' },
      byComponent: { $ref: '#/components/links/Shared' },
      outside: { operationId: 'elsewhere' },
      abroad: { operationRef: 'https://other.example/openapi.json#/paths/~1x/get' },
    }
    const content = (path: string) =>
      document(
        {
          [path]: { get: { responses: { 200: { description: 'Fine', links } } } },
          [`${path}/{id}`]: { get: returning({}, { operationId: 'getThing' }) },
          '/v1/elsewhere': { get: returning({}, { operationId: 'elsewhere' }) },
        },
        {},
        { components: { links: { Shared: { operationId: 'getThing', description: 'Shared' } } } },
      )
    const whole = combined(teams(content('/v1/teams')), redTeam(content('/v1/campaigns')))
    assert.deepEqual(whole.paths['/v1/campaigns'].get.responses['200'].links, {
      byId: { operationId: 'RedTeamGetThing' },
      byPlace: { operationRef: '#/paths/~1v1~1campaigns~1%7Bid%7D/get' },
      byComponent: { description: 'Shared', operationId: 'RedTeamGetThing' },
    })
    assert.equal(whole.paths['/v1/campaigns/{id}'].get.operationId, 'RedTeamGetThing')
    assert.deepEqual(Object.keys(whole.paths['/v1/teams'].get.responses['200'].links), [
      'byId',
      'byComponent',
    ])
  })

  it('renames in callbacks, where they stand and in components', () => {
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
      teams(content('/v1/teams', 'string')),
      redTeam(content('/v1/campaigns', 'integer')),
    )
    const { callbacks } = whole.paths['/v1/campaigns'].post
    const { post } = callbacks.own['{$request.body#/url}']
    assert.equal(post.operationId, 'RedTeamOnEvent')
    assert.deepEqual(post.requestBody.content['application/json'].schema, refTo('RedTeamEvent'))
    assert.deepEqual(callbacks.shared, { $ref: '#/components/callbacks/RedTeamC' })
  })

  it('declares the responses of the console where the service declares none', () => {
    const refused = { 401: { description: 'By the service' } }
    const { responses } = returning({})
    const whole = combined(
      teams(document({ '/v1/teams': { get: { responses: { ...responses, ...refused } } } })),
    )
    const declared = whole.paths['/v1/teams'].get.responses
    assert.equal(declared['401'].description, 'By the service')
    assert.deepEqual(declared['503'], { $ref: '#/components/responses/Console503' })
    assert.deepEqual(
      Object.keys(whole.components.responses.Console503.content['application/json'].examples),
      ['issuer_unavailable', 'overloaded', 'token_exchange_unavailable', 'upstream_unavailable'],
    )
    assert.deepEqual(declared['403'], { $ref: '#/components/responses/Console403' })
    assert.deepEqual(
      Object.keys(whole.components.responses.Console403.content['application/json'].examples),
      ['permission_missing', 'team_missing', 'team_ambiguous', 'team_not_yours', 'user_missing'],
    )
  })

  it('has the tag of each service, and is valid for documents of 3.0 and 3.1', () => {
    const whole = combined(
      teams({
        ...document(
          { '/v1/teams/{id}': { get: returning(refTo('Problem')), put: sending(refTo('Agent')) } },
          {
            Problem: { type: 'object', nullable: true, properties: { a: { type: 'string', example: 3 } } },
            Agent: { type: 'object', required: ['x'] },
          },
        ),
        openapi: '3.0.3',
      }),
      prepared(document({ '/v1/new': { get: returning({}) } }), {
        ...{ name: 'new', tag: 'A tag of its own', prefixes: ['/v1/new'] },
      }),
    )
    assert.deepEqual(whole.tags.at(-1), { name: 'A tag of its own', description: 'Operations of A service' })
    const ofTeams = (document: Any) => document['x-tagGroups'].find(({ name }: Any) => name === 'Teams')
    assert.deepEqual(ofTeams(whole).tags, [...ofTeams(JSON.parse(OWN)).tags, 'teams'])
    assert.deepEqual(whole['x-tagGroups'].at(-1), { name: 'A tag of its own', tags: ['new'] })
    const named = new Set(whole.tags.map(({ name }: { name: string }) => name))
    for (const { tags } of whole['x-tagGroups']) assert.ok(named.isSupersetOf(new Set(tags)))
  })

  it('is valid and has no reference that leads nowhere, whatever is combined', () => {
    const name = fc.constantFrom('Report', 'Agent', 'Problem', 'Page.A', 'Item', 'RedTeamItem')
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
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((allOf) => ({ allOf })),
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
            { [`${path}/{id}`]: { get: returning(got, { operationId: 'get' }), put: sending(sent) } },
            { Report, Agent, Problem, 'Page.A': Page, Item, RedTeamItem },
          ),
        }))
    fc.assert(
      fc.property(content('/v1/teams'), content('/v1/campaigns'), (one, two) => {
        combined(teams(one), redTeam(two))
      }),
      { numRuns: 40 },
    )
  })

  it('says of each operation what its service says, whatever the names', () => {
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
          names.map((one) => [`${path}/${one}`, { get: returning(refTo(one), { operationId: one }) }]),
        ),
        all,
      )
    fc.assert(
      fc.property(fc.tuple(used, used, used), schemas, schemas, (names, first, second) => {
        const parts = [
          teams(content('/v1/teams', names[0], first)),
          redTeam(content('/v1/campaigns', names[1], second)),
          // In part the same as one before it, which may have been renamed.
          prepared(content('/v1/third', names[2], { ...first, A: second['A'], B: second['B'] }), {
            ...{ name: 'third', tag: 'Third', prefixes: ['/v1/third'] },
          }),
        ]
        const whole = combined(...parts)
        for (const part of parts) {
          for (const { path } of part.operations) {
            const said = ({ paths }: Any) => paths[path].get.responses['200']
            const document = { paths: part.paths, components: part.components }
            const difference = findDifference(
              { document, part: said(document) },
              { document: whole, part: said(whole) },
            )
            assert.equal(difference, undefined)
          }
        }
      }),
      { numRuns: sized(50, 5_000) },
    )
  })
})
