import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkBreaking, findOasdiff, OASDIFF_MISSING } from '../scripts/check-breaking.ts'
import { SETTABLE_FIELDS } from '../src/agent/fields.ts'
import { Agent } from '../src/agent/schema.ts'
import { PERMISSIONS } from '../src/api/caller.ts'
import { resolveResponses } from './support/declared-responses.ts'

const FILE = join(import.meta.dirname, '../openapi.json')

const AREAS = ['Teams', 'Agent Environment', 'Evaluation', 'Protection', 'Red Team']

/** The verbs that every resource may have belong to one method. The others are actions. */
const METHODS_OF_VERBS: Record<string, string> = {
  list: 'get',
  get: 'get',
  create: 'post',
  update: 'put',
  delete: 'delete',
}
const ACTIONS =
  'apply bulkChange clone compare diff erase export import move record recover redact refresh release restore take watch'
const VERBS = [...Object.keys(METHODS_OF_VERBS), ...ACTIONS.split(' ')]

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: object[]
  parameters?: { in: string; name: string }[]
  responses: Record<string, { content?: object; headers?: Record<string, object> }>
}
interface Document {
  openapi: string
  info: { version: string }
  security: unknown[]
  tags: { name: string }[]
  'x-tagGroups': { name: string; tags: string[] }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; headers: Record<string, object> }
}
interface Schema {
  properties: Record<
    string,
    {
      type?: string | string[]
      enum?: string[]
      default?: unknown
      pattern?: string
      minimum?: number
      maximum?: number
    }
  >
  required?: string[]
}

const read = () => JSON.parse(readFileSync(FILE, 'utf8')) as Document

describe('the document', () => {
  const document = resolveResponses(read())
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

  it('is OpenAPI 3.1.0, with an empty security list and the areas as its first tags', () => {
    assert.equal(document.openapi, '3.1.0')
    assert.deepEqual(document.security, [])
    const tags = document.tags.map(({ name }) => name)
    assert.deepEqual(tags.slice(0, 5), AREAS)
    const grouped = document['x-tagGroups'].flatMap((group) => group.tags)
    assert.deepEqual(grouped, tags.slice(5))
  })

  it('has two tags for each operation: its area, and a feature in the group of the area', () => {
    for (const { operationId, tags } of operations) {
      const [area = '', feature = ''] = tags
      const group = document['x-tagGroups'].find(({ name }) => name === area)
      assert.ok(tags.length === 2 && AREAS.includes(area) && group?.tags.includes(feature), operationId)
    }
  })

  it('names each operation by one verb for one thing', () => {
    for (const methods of Object.values(document.paths)) {
      for (const [method, { operationId }] of Object.entries(methods)) {
        const verb = VERBS.find((one) => operationId.startsWith(one))
        assert.ok(verb && (METHODS_OF_VERBS[verb] ?? method) === method, `${method} ${operationId}`)
      }
    }
  })

  it('is smaller than 350 kB, because the errors are components', () => {
    assert.ok(JSON.stringify(read()).length < 350_000)
    for (const operation of Object.values(read().paths).flatMap((path) => Object.values(path))) {
      const problems = Object.values(operation.responses).filter((response) => {
        const schema = JSON.stringify(response.content ?? {})
        return schema.includes('"schema":{"$ref":"#/components/schemas/Problem"}')
      })
      assert.deepEqual(problems, [], operation.operationId)
    }
  })

  it('names each operation once, with the token it needs and every error it can answer', () => {
    const ids = operations.map(({ operationId }) => operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const operation of operations) {
      assert.deepEqual(operation.security, [{ bearer: [] }], operation.operationId)
      assert.ok(operation.summary && operation.tags.length > 0)
      for (const status of ['401', '405', '422', '500', '503']) {
        assert.ok(operation.responses[status]?.content, `${operation.operationId} ${status}`)
      }
    }
  })

  it('says of each operation which permission it needs', () => {
    const needs = ({ description, responses }: Operation) =>
      (responses['403']
        ? /Needs (?:the permission `|(?=a valid token with a user and a team))(.+?)(?:`|; no particular permission)\.$/
        : /Needs (a valid token); no particular permission\.$/
      ).exec(description)?.[1]
    const needed = new Map(operations.map((operation) => [operation.operationId, needs(operation)]))
    for (const [id, permission = 'nothing'] of needed) {
      const known = [...PERMISSIONS, 'a valid token', 'a valid token with a user and a team']
      assert.ok(known.includes(permission), `${id} needs ${permission}`)
    }
    assert.equal(needed.get('getAgentConfiguration'), 'agent:read')
    assert.equal(needed.get('getAgentSecrets'), 'agent:secret')
    assert.equal(needed.get('createGenome'), 'a valid token')
    assert.equal(needed.get('getMe'), 'a valid token with a user and a team')
  })

  it('declares the header console-team for each operation that needs a team', () => {
    for (const { operationId, parameters = [], responses } of operations) {
      const isDeclared = parameters.some(
        ({ in: place, name }) => place === 'header' && name === 'console-team',
      )
      assert.equal(isDeclared, '403' in responses, operationId)
    }
  })

  it('declares the header console-change-reason for each operation of the console that changes something', () => {
    for (const methods of Object.values(document.paths)) {
      for (const [method, { operationId, parameters = [], description }] of Object.entries(methods)) {
        const isDeclared = parameters.some(
          ({ in: place, name }) => place === 'header' && name === 'console-change-reason',
        )
        // It takes permits and leaves no record.
        const isRecorded = operationId !== 'takeRequestPermits'
        const isChange = method !== 'get' && isRecorded && /Needs the permission/.test(description)
        assert.equal(isDeclared, isChange, operationId)
      }
    }
  })

  it('declares the request id of every answer, and no body where there is none', () => {
    for (const { operationId, responses } of operations) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        const header = headers?.['x-request-id']
        assert.deepEqual(header, { $ref: '#/components/headers/RequestId' }, `${operationId} ${status}`)
        assert.equal(content === undefined, ['204', '304'].includes(status), `${operationId} ${status}`)
      }
    }
    assert.ok(document.components.headers['RequestId'])
    const unchanged = document.paths['/v1/agent-configurations/{id}']?.['get']?.responses['304']
    assert.ok(unchanged?.headers?.['etag'])
  })

  it('declares Agent as the contract does', () => {
    const { properties, required } = document.components.schemas['Agent'] as Schema
    assert.deepEqual(required, [
      ...['id', 'agent_name', 'model_name', 'team_id', 'created_by', 'created_at', 'updated_at'],
    ])
    assert.deepEqual(Object.keys(properties), Object.keys(Agent.properties))
    assert.equal(properties['test_score']?.pattern, String.raw`^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$`)
    const defaults = {
      hub: 'custom',
      rate_limit_requests_per_minute: 100,
      status: 'active',
      access_level: 'black_box',
      protocol: 'chat_completions',
      protection_status: 'unprotected',
      trust_stage: 'registered',
      guard_manually_configured: false,
    }
    for (const [name, value] of Object.entries(defaults)) assert.equal(properties[name]?.default, value, name)
  })

  it('declares the bounds of every integer', () => {
    const unbounded: string[] = []
    const find = (node: unknown, path: string) => {
      if (typeof node !== 'object' || node === null) return
      const { type, minimum, maximum } = node as { type?: unknown; minimum?: unknown; maximum?: unknown }
      const isInteger = [type].flat().includes('integer') && !path.endsWith('/loc/items')
      if (isInteger && (typeof minimum !== 'number' || typeof maximum !== 'number')) unbounded.push(path)
      for (const [key, value] of Object.entries(node)) find(value, `${path}/${key}`)
    }
    find(document, '')
    assert.deepEqual(unbounded, [])
    const rate = document.components.schemas['AgentUpdate']?.properties['rate_limit_requests_per_minute']
    assert.deepEqual([rate?.minimum, rate?.maximum], [1, 2_147_483_647])
  })

  it('declares the update body with every field optional and nullable', () => {
    const { properties, required } = document.components.schemas['AgentUpdate'] as Schema
    assert.equal(required, undefined)
    assert.deepEqual(Object.keys(properties), Object.keys(SETTABLE_FIELDS))
    for (const [name, field] of Object.entries(properties)) {
      const alternatives = (field as { anyOf?: { type?: string }[] }).anyOf ?? [field]
      const types = alternatives.flatMap(({ type }) => type ?? [])
      assert.ok(types.includes('null'), name)
    }
  })
})

describe('a change of the document', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'console-document-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const write = (name: string, change: (document: Document) => void) => {
    const document = read()
    change(document)
    const path = join(folder, name)
    writeFileSync(path, `${JSON.stringify(document, null, 2)}\n`)
    return path
  }
  const check = () =>
    spawnSync(process.execPath, ['scripts/check-openapi.ts', folder], {
      cwd: join(import.meta.dirname, '..'),
      encoding: 'utf8',
    })

  it('by hand fails the check, and says what to do', () => {
    copyFileSync(join(FILE, '../asyncapi.json'), join(folder, 'asyncapi.json'))
    write('openapi.json', () => {})
    assert.equal(check().status, 0)
    write('openapi.json', ({ components }) => {
      delete components.schemas['Agent']?.properties['hub']
    })
    const edited = check()
    assert.equal(edited.status, 1)
    assert.match(edited.stderr, /npm run generate/)
  })

  const skip = findOasdiff() === undefined && OASDIFF_MISSING
  it('that breaks clients is found, one that adds is not', { skip }, () => {
    const added = write('added.json', ({ components }) => {
      Object.assign(components.schemas['AgentUpdate']?.properties ?? {}, { note: { type: 'string' } })
    })
    assert.equal(checkBreaking(FILE, added).breaks, false)
    const narrowed = write('narrowed.json', ({ components }) => {
      const status = components.schemas['AgentUpdate']?.properties['status']
      if (status?.enum) status.enum = status.enum.filter((value) => value !== 'draft')
    })
    assert.equal(checkBreaking(FILE, narrowed).breaks, true)
    const removed = write('removed.json', ({ paths }) => {
      delete paths['/v1/agent-configurations/{id}']
    })
    assert.equal(checkBreaking(FILE, removed).breaks, true)
  })
})
