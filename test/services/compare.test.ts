import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { checkBreaking, findOasdiff, OASDIFF_MISSING } from '../../scripts/check-breaking.ts'
import { findBreakingChanges } from '../../src/services/compare/compare.ts'
import { document, prepared, refTo, returning } from './documents.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test says itself what it changes
type Any = any

const base = () =>
  document(
    {
      '/v1/teams': {
        get: {
          operationId: 'list',
          summary: 'List',
          parameters: [
            {
              in: 'query',
              name: 'sort',
              schema: { type: 'string', enum: ['name', 'size'], default: 'name' },
            },
            { in: 'query', name: 'limit', schema: { type: 'integer', maximum: 100 } },
          ],
          responses: {
            200: {
              description: 'Fine',
              headers: { 'x-total': { required: true, schema: { type: 'integer' } } },
              content: {
                'application/json': { schema: { type: 'array', items: refTo('Team') } },
                'text/csv': { schema: { type: 'string' } },
              },
            },
            404: { description: 'None' },
          },
        },
        post: {
          operationId: 'create',
          summary: 'Create',
          requestBody: {
            content: {
              'application/json': { schema: refTo('NewTeam') },
              'text/csv': { schema: { type: 'string' } },
            },
          },
          responses: {
            200: { description: 'Fine', content: { 'application/json': { schema: refTo('Team') } } },
          },
        },
      },
      '/v1/teams/{id}': {
        get: {
          operationId: 'get',
          summary: 'Get',
          parameters: [{ in: 'path', name: 'id', required: true, schema: { type: 'string' } }],
          responses: {
            200: { description: 'Fine', content: { 'application/json': { schema: refTo('Team') } } },
          },
        },
      },
    },
    {
      Team: {
        type: 'object',
        required: ['id', 'name', 'status', 'parent', 'best', 'note'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', maxLength: 50 },
          note: { type: ['string', 'null'] },
          status: { type: 'string', enum: ['new', 'old'] },
          size: { type: 'integer', minimum: 1 },
          parent: refTo('Team'),
          best: { oneOf: [refTo('Cat'), refTo('Dog')] },
        },
      },
      NewTeam: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 50, minLength: 2 },
          status: { type: 'string', enum: ['new', 'old'] },
          size: { type: 'number', minimum: 1, maximum: 9 },
          note: { type: ['string', 'null'] },
          tags: { type: 'array', maxItems: 5, minItems: 1, items: { type: 'string' } },
          pet: { oneOf: [refTo('Cat'), refTo('Dog')] },
        },
      },
      Cat: { type: 'object', required: ['meow'], properties: { meow: { type: 'string' } } },
      Dog: { type: 'object', required: ['bark'], properties: { bark: { type: 'string' } } },
      Cow: { type: 'object', required: ['moo'], properties: { moo: { type: 'string' } } },
    },
  )

type Change = (content: Any, parts: { team: Any; newTeam: Any; list: Any; create: Any }) => void

const BREAKING: Record<string, Change> = {
  'a path is removed': ({ paths }) => delete paths['/v1/teams/{id}'],
  'an operation is removed': ({ paths }) => delete paths['/v1/teams'].post,
  'a required field of a response is removed': (_, { team }) => {
    delete team.properties.name
    team.required = team.required.filter((name: string) => name !== 'name')
  },
  'a field of a response may be absent': (_, { team }) => {
    team.required = team.required.filter((name: string) => name !== 'name')
  },
  'a field of a response may be null': (_, { team }) => (team.properties.id.type = ['string', 'null']),
  'the type of a response changes': (_, { team }) => (team.properties.id.type = 'integer'),
  'the type of a response widens': (_, { team }) => (team.properties.size.type = 'number'),
  'a response may be longer': (_, { team }) => (team.properties.name.maxLength = 60),
  'a response may be less': (_, { team }) => (team.properties.size.minimum = 0),
  'a response has another alternative': (_, { team }) => team.properties.best.oneOf.push(refTo('Cow')),
  'a response is removed': (_, { create }) => {
    create.responses['201'] = create.responses['200']
    delete create.responses['200']
  },
  'a media type of a response is removed': (_, { list }) => delete list.responses['200'].content['text/csv'],
  'a required header of a response is removed': (_, { list }) =>
    delete list.responses['200'].headers['x-total'],
  'a new field must be sent': (_, { newTeam }) => {
    newTeam.properties.more = { type: 'string' }
    newTeam.required.push('more')
  },
  'a field must now be sent': (_, { newTeam }) => newTeam.required.push('size'),
  'an enumeration takes fewer values': (_, { newTeam }) => (newTeam.properties.status.enum = ['new']),
  'a field becomes an enumeration': (_, { newTeam }) => (newTeam.properties.name.enum = ['one', 'two']),
  'the type of a field sent changes': (_, { newTeam }) => (newTeam.properties.name.type = 'integer'),
  'the type of a field sent narrows': (_, { newTeam }) => (newTeam.properties.size.type = 'integer'),
  'a field sent may not be null': (_, { newTeam }) => (newTeam.properties.note.type = 'string'),
  'a field sent must be shorter': (_, { newTeam }) => (newTeam.properties.name.maxLength = 40),
  'a field sent must be longer': (_, { newTeam }) => (newTeam.properties.name.minLength = 3),
  'a field sent must be less': (_, { newTeam }) => (newTeam.properties.size.maximum = 8),
  'a field sent must be more': (_, { newTeam }) => (newTeam.properties.size.minimum = 2),
  'more items must be sent': (_, { newTeam }) => (newTeam.properties.tags.minItems = 2),
  'a field sent has a pattern': (_, { newTeam }) => (newTeam.properties.name.pattern = '^a'),
  'items sent change': (_, { newTeam }) => (newTeam.properties.tags.items.type = 'integer'),
  'an alternative may not be sent': (_, { newTeam }) =>
    (newTeam.properties.pet.oneOf = [refTo('Cat'), refTo('Cow')]),
  'a media type is no longer taken': (_, { create }) => delete create.requestBody.content['text/csv'],
  'the body becomes required': (_, { create }) => (create.requestBody.required = true),
  'the body is removed': (_, { create }) => delete create.requestBody,
  'a new parameter is required': (_, { list }) =>
    list.parameters.push({ in: 'query', name: 'all', required: true, schema: { type: 'string' } }),
  'a parameter becomes required': (_, { list }) => (list.parameters[1].required = true),
  'a parameter takes fewer values': (_, { list }) => (list.parameters[0].schema.enum = ['name']),
  'a parameter must be less': (_, { list }) => (list.parameters[1].schema.maximum = 50),
  'the default of a parameter changes': (_, { list }) => (list.parameters[0].schema.default = 'size'),
}

const HARMLESS: Record<string, Change> = {
  'nothing changes': () => {},
  'a description changes': ({ info }) => (info.description = 'Other words'),
  'a path is added': ({ paths }) => (paths['/v1/teams/new'] = { get: paths['/v1/teams'].get }),
  'a parameter of the path is renamed': ({ paths }) => {
    const { [`/v1/teams/{id}`]: item } = paths
    delete paths['/v1/teams/{id}']
    item.get.parameters[0].name = 'team'
    paths['/v1/teams/{team}'] = item
  },
  'a response has one field more': (_, { team }) => (team.properties.more = { type: 'string' }),
  'a field of a response is now always there': (_, { team }) => team.required.push('size'),
  'a response may no longer be null': (_, { team }) => (team.properties.note.type = 'string'),
  'a response has one value more': (_, { team }) => team.properties.status.enum.push('older'),
  'a response is shorter': (_, { team }) => (team.properties.name.maxLength = 40),
  'an optional field of a response is removed': (_, { team }) => delete team.properties.size,
  'an error is no longer declared': (_, { list }) => delete list.responses['404'],
  'an optional field can be sent': (_, { newTeam }) => (newTeam.properties.more = { type: 'string' }),
  'a field need not be sent': (_, { newTeam }) => delete newTeam.required,
  'a field is no longer read': (_, { newTeam }) => delete newTeam.properties.tags,
  'an enumeration takes more values': (_, { newTeam }) => newTeam.properties.status.enum.push('older'),
  'the type of a field sent widens': (_, { newTeam }) => (newTeam.properties.name.type = ['string', 'null']),
  'a field sent may be longer': (_, { newTeam }) => (newTeam.properties.name.maxLength = 60),
  'an optional parameter is added': (_, { list }) =>
    list.parameters.push({ in: 'query', name: 'all', schema: { type: 'string' } }),
  'an alternative more may be sent': (_, { newTeam }) => newTeam.properties.pet.oneOf.push(refTo('Cow')),
}

describe('a change of a document', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-compare-'))
  after(() => rmSync(folder, { recursive: true }))

  const changed = (change: Change) => {
    const content: Any = structuredClone(base())
    const { Team: team, NewTeam: newTeam } = content.components.schemas
    const { get: list, post: create } = content.paths['/v1/teams']
    change(content, { team, newTeam, list, create })
    return content
  }
  const find = (content: object) => findBreakingChanges(prepared(base()), prepared(content))
  const write = (name: string, content: object) => {
    const path = join(folder, name)
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const skip = findOasdiff() === undefined && OASDIFF_MISSING
  const judged = (content: object) => checkBreaking(write('base', base()), write('revision', content)).breaks

  for (const [what, change] of Object.entries(BREAKING)) {
    it(`breaks callers when ${what}, as oasdiff has it`, { skip }, () => {
      const content = changed(change)
      const found = find(content)
      assert.ok(found.length > 0)
      assert.ok(judged(content), found.join('\n'))
    })
  }
  for (const [what, change] of Object.entries(HARMLESS)) {
    it(`does not break callers when ${what}, as oasdiff has it`, { skip }, () => {
      const content = changed(change)
      assert.deepEqual(find(content), [])
      assert.ok(!judged(content))
    })
  }

  it('that takes a value from an enumeration of a response is called breaking, more strictly than oasdiff', {
    skip,
  }, () => {
    const content = changed((_, { team }) => (team.properties.status.enum = ['new']))
    assert.deepEqual(find(content), [
      'GET /v1/teams: in the response 200, the body[].status no longer has the value "old".',
      'POST /v1/teams: in the response 200, status no longer has the value "old".',
      'GET /v1/teams/{id}: in the response 200, status no longer has the value "old".',
    ])
    assert.ok(!judged(content))
  })

  it('is told in sentences', () => {
    const content = changed((whole, { newTeam, list }) => {
      delete whole.paths['/v1/teams/{id}']
      newTeam.required.push('size')
      list.parameters[1].required = true
    })
    assert.deepEqual(find(content), [
      'GET /v1/teams: in the request, the query parameter limit is now required.',
      'POST /v1/teams: in the request, size is now required.',
      'GET /v1/teams/{id}: the operation is gone.',
    ])
  })
})

describe('a part of a schema', () => {
  const changesOf = (before: object, after: object) =>
    findBreakingChanges(
      prepared(document({ '/v1/teams': { get: returning(before) } }, { Base: { type: 'object' } })),
      prepared(document({ '/v1/teams': { get: returning(after) } }, { Base: { type: 'object' } })),
    )
  const part = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
  const text = { type: 'string' }

  it('may get another optional field', () => {
    const whole = (own: object) => ({ allOf: [refTo('Base'), own] })
    assert.deepEqual(changesOf(whole(part({ a: text })), whole(part({ a: text, b: text }))), [])
    assert.equal(changesOf(whole(part({ a: text }, ['a'])), whole(part({ a: text }))).length, 1)
  })

  it('is looked at also where its name is not known', () => {
    const byName = (required: string[]) => ({
      type: 'object',
      additionalProperties: part({ a: text }, required),
    })
    assert.deepEqual(changesOf(byName(['a']), byName([])), [
      'GET /v1/teams: in the response 200, the body.*.a was required and may now be absent.',
    ])
  })
})
