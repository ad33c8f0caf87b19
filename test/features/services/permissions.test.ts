import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { DEMO_NAMES, type DemoName } from '../../../dev/services/catalogue.ts'
import { PERMISSIONS } from '../../../src/api/caller.ts'
import { CONSOLE_PREFIXES, isUnderPrefix } from '../../../src/config/services-file.ts'
import type { AuditEvent } from '../../../src/features/audit/schema.ts'
import type { ServiceList } from '../../../src/features/services/schema.ts'
import { closeAfter } from '../../support/close-after.ts'
import { startConsoleWithDemos } from '../../support/demos.ts'
import { operation, useMounted } from '../../support/mounted.ts'
import {
  callOperation,
  type MatrixOperation,
  missingOf,
  readOperations,
  scopesOf,
} from '../../support/permission-matrix.ts'

/** Two services without permissions, one with each alone, one with both. */
const OF_SERVICES: Partial<Record<DemoName, object>> = {
  evaluation: { read_permission: 'evaluation:look' },
  protection: { write_permission: 'https://scopes.test/protect' },
  'red-team': { read_permission: 'red-team:read', write_permission: 'agent:write' },
}
const ALL = [...PERMISSIONS, 'evaluation:look', 'https://scopes.test/protect', 'red-team:read']

describe('the permission matrix', async () => {
  const { running, close } = await startConsoleWithDemos((name) => ({
    poll_seconds: 60,
    ...OF_SERVICES[name],
  }))
  closeAfter(close)
  const { body } = await running.request('GET', '/openapi.json')
  const operations = readOperations(body)
  const tokens = await Promise.all(
    scopesOf(ALL).map(async (scope) => {
      const team = randomUUID()
      return {
        scope: scope.split(' '),
        team,
        token: await running.issuer.token({ user: randomUUID(), team, scope }),
      }
    }),
  )

  const isMounted = ({ path }: MatrixOperation) => !isUnderPrefix(path, CONSOLE_PREFIXES)

  it('has every operation of the console and of each service', async () => {
    const own = operations.filter((one) => !isMounted(one))
    assert.deepEqual(
      new Set(own.flatMap(({ permission }) => permission ?? [])),
      new Set<string>(PERMISSIONS),
      'an operation for each permission',
    )
    const mounted = operations.filter(isMounted)
    const { token } = await running.person()
    const { body: listed } = await running.request<ServiceList>('GET', '/v1/services', { token })
    const count = listed.results.reduce((sum, { document }) => sum + (document?.operations ?? 0), 0)
    assert.equal(mounted.length, count)
    assert.deepEqual(
      own.flatMap(({ action }) => (action ? [`${action.name} ${action.permission}`] : [])),
      ['update agent:write', 'lifecycle agent:lifecycle', 'delete agent:delete'],
      'the actions of a bulk request',
    )
    assert.ok(count > DEMO_NAMES.length)
    assert.deepEqual(
      new Set(mounted.map(({ permission }) => permission)),
      new Set([undefined, ...ALL.slice(PERMISSIONS.length), 'agent:write']),
    )
  })

  for (const one of operations) {
    const { method, path, permission, action } = one
    const needed = [permission ?? [], action?.permission ?? []].flat()
    const name = `${method} ${path}${action ? ` with ${action.name}` : ''}`
    it(`${name} is ${permission ? `for ${needed.join(' and ')} only` : 'for every token'}`, async () => {
      for (const { scope, token } of tokens) {
        const reply = await callOperation(running.url, one, `Bearer ${token}`)
        const missing = missingOf(one, scope)
        const isAllowed = missing === undefined
        const said = `${scope.join(' ')}: ${reply.status} ${reply.code}`
        assert.notEqual(reply.status, 401, said)
        assert.equal(reply.status === 403 && reply.code === 'permission_missing', !isAllowed, said)
        if (!isAllowed) assert.equal(reply.detail, `This operation needs the permission ${missing}.`)
      }
    })
  }

  it('needs a token in every place', async () => {
    for (const one of operations) {
      const { status } = await callOperation(running.url, one, undefined)
      assert.equal(status, 401, `${one.method} ${one.path}`)
    }
  })
})

describe('a mounted operation with permissions', async () => {
  const { running, behind } = await useMounted({
    ...{ readPermission: 'things:read', writePermission: 'things:write' },
    operations: (['GET', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) =>
      operation({ method }),
    ),
  })
  const send = async (method: string, scope: string, team = randomUUID()) =>
    running.request(method, '/v1/things/7', { token: (await running.person({ scope, team })).token })

  it('needs the one for reading with GET, HEAD and OPTIONS, and the one for writing with every other method', async () => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const [right, wrong] = ['GET', 'HEAD', 'OPTIONS'].includes(method)
        ? ['things:read', 'things:write']
        : ['things:write', 'things:read']
      assert.equal((await send(method, `other ${right}`)).status, 200, method)
      assert.equal((await send(method, wrong)).status, 403, method)
    }
    assert.equal(behind['things']?.asked.length, 7)
  })

  it('leaves an audit event of a refusal, with its route', async () => {
    const team = randomUUID()
    assert.equal((await send('DELETE', 'things:read', team)).status, 403)
    const { token } = await running.person({ team })
    const { body } = await running.request<{ results: AuditEvent[] }>('GET', '/v1/audit-events', { token })
    assert.deepEqual(
      body.results.map(({ action, detail }) => ({ action, detail })),
      [
        {
          action: 'permission_refused',
          detail: { permission: 'things:write', method: 'DELETE', route: '/v1/things/{id}' },
        },
      ],
    )
  })
})
