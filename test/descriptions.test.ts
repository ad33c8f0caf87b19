import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { PERMISSION_DESCRIPTIONS } from '../src/api/caller.ts'

type Json = Record<string, unknown>

const read = (file: string) => JSON.parse(readFileSync(join(import.meta.dirname, '..', file), 'utf8')) as Json

/** The value that a local reference such as `#/components/schemas/Agent` points to. */
function resolve(root: Json, reference: string): Json {
  const names = reference.slice(2).split('/')
  return names.reduce<Json>((value, name) => value[name] as Json, root)
}

/** Own description, or that of the component that it refers to, alone or beside null. */
function hasDescription(root: Json, node: Json): boolean {
  if (typeof node['description'] === 'string' && node['description'].trim() !== '') return true
  if (typeof node['$ref'] === 'string') return hasDescription(root, resolve(root, node['$ref']))
  const others = ((node['anyOf'] ?? []) as Json[]).filter(({ type }) => type !== 'null')
  return others.length === 1 && hasDescription(root, others[0] as Json)
}

/** Places that need a description: every property, parameter and header, at any depth. */
function undescribed(root: Json, node: unknown, path: string): string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => undescribed(root, item, `${path}/${index}`))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node as Json).flatMap(([key, value]) => {
    if (key === 'example' || key === 'examples') return []
    const here = `${path}/${key}`
    // The headers of an AsyncAPI message are one schema, whose `type` is a text.
    const named =
      ['properties', 'headers', 'parameters'].includes(key) && typeof (value as Json)['type'] !== 'string'
    const missing = named
      ? Object.entries(value as Json).filter(([, entry]) => !hasDescription(root, entry as Json))
      : []
    return [...missing.map(([name]) => `${here}/${name}`), ...undescribed(root, value, here)]
  })
}

describe('the published descriptions', () => {
  for (const file of ['openapi.json', 'asyncapi.json']) {
    it(`${file}: every property, parameter and header has one`, () => {
      const document = read(file)
      assert.deepEqual(undescribed(document, document, ''), [])
    })
  }

  it('every schema, operation and tag has one', () => {
    const document = read('openapi.json')
    const { schemas } = document['components'] as { schemas: Record<string, Json> }
    const operations = Object.values(document['paths'] as Record<string, Record<string, Json>>).flatMap(
      (path) => Object.values(path),
    )
    const missing = [
      ...Object.entries(schemas).filter(([, schema]) => !hasDescription(document, schema)),
      ...Object.entries(document['tags'] as Json[]).filter(([, tag]) => !hasDescription(document, tag)),
    ].map(([name]) => name)
    assert.deepEqual(missing, [])
    for (const { operationId, summary, description } of operations) {
      assert.ok(summary, String(operationId))
      // The note about the permission is appended to every operation, and is not enough.
      assert.match(String(description), /\S.* Needs (the permission|a valid token)/s, String(operationId))
    }
  })

  it('the security scheme lists every permission with its meaning', () => {
    const { securitySchemes } = read('openapi.json')['components'] as {
      securitySchemes: { bearer: { description: string } }
    }
    for (const [name, meaning] of Object.entries(PERMISSION_DESCRIPTIONS)) {
      assert.ok(securitySchemes.bearer.description.includes(`- \`${name}\`: ${meaning}`), name)
    }
  })
})
