import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidationError } from '../src/api/problem.ts'
import { PROBLEMS, type ProblemCode } from '../src/api/problem-codes.ts'
import { resolveResponses } from './support/declared-responses.ts'

type Json = Record<string, unknown>

interface Example {
  /** Where the example is. */
  pointer: string
  /** Where the schema of the example is. */
  schema: string
  value: unknown
}

interface Operation {
  operationId: string
  parameters?: { in: string; name: string; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { examples?: Record<string, { value: Json }> }> }>
}
interface Schema {
  $ref?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', file), 'utf8')) as Json

const document = read('openapi.json')
const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Every `example` and `examples` of a document. Beside a `schema` they belong to that schema, else they are in one. */
function findExamples(node: unknown, pointer = ''): Example[] {
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    const at = `${pointer}/${escape(key)}`
    // A property of a schema may have one of these names.
    const isKeyword = !pointer.endsWith('/properties') && (key === 'example' || key === 'examples')
    if (!isKeyword) return findExamples(value, at)
    const schema = 'schema' in node ? `${pointer}/schema` : pointer
    if (key === 'example') return [{ pointer: at, schema, value }]
    return Object.entries(value as Json).map(([name, example]) => ({
      pointer: `${at}/${escape(name)}`,
      schema,
      value: Array.isArray(value) ? example : (example as { value: unknown }).value,
    }))
  })
}

function createChecker(root: Json) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    formats: {
      uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
      'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
      int32: true,
      int64: true,
    },
  })
  ajv.addSchema(root, 'document')
  return ({ schema, value }: Example): string[] => {
    const pointer = schema.split('/').map(encodeURIComponent).join('/')
    const check = ajv.compile({ $ref: `document#${pointer}` })
    return check(value) ? [] : (check.errors ?? []).map((e) => `${e.instancePath} ${e.message}`)
  }
}

/** Whether the operation has an input at this location. */
function exists(operation: Operation, [part, ...path]: ValidationError['loc']): boolean {
  if (part === 'body') {
    const schema = operation.requestBody?.content['application/json']?.schema
    return schema !== undefined && contains(schema, path)
  }
  const [name, ...rest] = path
  const found = operation.parameters?.find((one) => one.in === part && one.name === name)
  return found !== undefined && contains(found.schema, rest)
}

function contains(schema: Schema, [first, ...rest]: ValidationError['loc']): boolean {
  if (schema.$ref) {
    const names = schema.$ref.slice(2).split('/')
    const target = names.reduce<unknown>((value, name) => (value as Json)[name], document)
    return contains(target as Schema, first === undefined ? [] : [first, ...rest])
  }
  if (first === undefined) return true
  if (schema.anyOf) return schema.anyOf.some((one) => contains(one, [first, ...rest]))
  const next = typeof first === 'number' ? schema.items : schema.properties?.[first]
  return next !== undefined && contains(next, rest)
}

describe('every example', () => {
  for (const [file, least] of [
    ['openapi.json', 250],
    ['asyncapi.json', 0],
  ] as const) {
    it(`of ${file} is valid for its schema`, () => {
      const root = read(file)
      const check = createChecker(root)
      const examples = findExamples(root)
      assert.ok(examples.length >= least, `${examples.length} examples`)
      const invalid = examples.flatMap((example) => check(example).map((e) => `${example.pointer}: ${e}`))
      assert.deepEqual(invalid, [])
    })
  }

  const { paths } = resolveResponses(read('openapi.json'))
  const operations = Object.values(paths as Record<string, Record<string, Operation>>).flatMap((path) =>
    Object.values(path),
  )
  const examplesOf = (operation: Operation) =>
    Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
      Object.values(content).flatMap(({ examples = {} }) =>
        Object.entries(examples).map(([name, { value }]) => ({ status, name, value })),
      ),
    )

  it('of a 422 is about an input that its operation has', () => {
    for (const operation of operations) {
      const examples = examplesOf(operation).filter(({ status }) => status === '422')
      assert.ok(examples.length > 0, operation.operationId)
      const errors = examples.flatMap(({ value }) => value['detail'] as ValidationError[])
      assert.ok(errors.length > 0, operation.operationId)
      for (const { loc, type } of errors) {
        const isUnknown = type === 'extra_forbidden' && loc[0] === 'query'
        assert.equal(exists(operation, loc), !isUnknown, `${operation.operationId} ${loc.join('.')}`)
      }
    }
  })

  it('of an error with a code has the status and the text of the code', () => {
    for (const operation of operations) {
      for (const { status, name, value } of examplesOf(operation)) {
        if (!('code' in value)) continue
        const problem = PROBLEMS[value['code'] as ProblemCode]
        assert.deepEqual(
          [name, status, value['detail']],
          [value['code'], String(problem.status), problem.detail],
        )
      }
    }
  })

  it('is checked: a wrong value, a wrong format and a wrong location are found', () => {
    const check = createChecker(document)
    const schema = '/components/schemas/Agent'
    const agent = findExamples(document).find((one) => one.schema === schema)
    const value = agent?.value as Json
    assert.deepEqual(check({ pointer: '', schema, value }), [])
    for (const wrong of [{ id: 'x' }, { created_at: '1' }, { status: 'x' }, { unknown: 1 }]) {
      assert.equal(check({ pointer: '', schema, value: { ...value, ...wrong } }).length, 1)
    }
    const status = operations.find(({ operationId }) => operationId === 'getEvolutionStatus') as Operation
    assert.equal(exists(status, ['path', 'agent_id']), true)
    assert.equal(exists(status, ['path', 'id']), false)
  })
})
