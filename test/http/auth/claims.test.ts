import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readAuthConfig } from '../../../src/config/auth.ts'
import { createTokenReader } from '../../../src/http/auth/verified-token.ts'
import { ConfigInvalid } from '../../../src/platform/process.ts'

const ISSUER = 'https://id.example.com'
const read = (environment: Record<string, string>, claims: object | string) => {
  const auth = readAuthConfig({ AUTH_ISSUER: ISSUER, AUTH_AUDIENCE: 'console', ...environment })
  const text = typeof claims === 'string' ? claims : JSON.stringify(claims)
  return createTokenReader(auth)({ exp: 1, ...JSON.parse(text) })
}
const permissionsOf = (name: string, claims: object | string) => [
  ...read({ AUTH_CLAIM_PERMISSIONS: name }, claims).permissions,
]

describe('the name of a claim', () => {
  const roles = ['agent:read']

  it('may be a path with dots', () => {
    const claims = { resource_access: { 'agent-console': { roles } } }
    assert.deepEqual(permissionsOf('resource_access.agent-console.roles', claims), roles)
    assert.deepEqual(permissionsOf('resource_access.agent-console', claims), [])
    assert.deepEqual(permissionsOf('resource_access.agent-console.roles.0', claims), [])
  })

  it('may be a JSON pointer, for names with dots and slashes', () => {
    assert.deepEqual(permissionsOf('/realm_access/roles', { realm_access: { roles } }), roles)
    assert.deepEqual(permissionsOf('/a.b/c~1d/~0', { 'a.b': { 'c/d': { '~': roles } } }), roles)
    assert.deepEqual(permissionsOf('//', { '': { '': roles } }), roles)
    assert.deepEqual(permissionsOf('/roles/0', { roles }), [])
  })

  it('may be a URL: a claim with exactly this name comes before every path', () => {
    const name = 'https://example.com/roles'
    assert.deepEqual(permissionsOf(name, { [name]: roles }), roles)
    assert.deepEqual(permissionsOf('a.b', { 'a.b': roles, a: { b: ['agent:delete'] } }), roles)
    assert.deepEqual(permissionsOf('/a/b', { '/a/b': roles, a: { b: ['agent:delete'] } }), roles)
    assert.deepEqual(permissionsOf('a.b', { 'a.b': null, a: { b: roles } }), [])
  })

  it('never leads to what objects and lists have besides their members', () => {
    const names = [
      '__proto__',
      'constructor',
      'constructor.name',
      'a.constructor.name',
      'a.__proto__.b',
      'toString',
    ]
    for (const name of [...names, 'list.length', 'list.0', 'text.0', 'text.length', 'nothing.at.all']) {
      const claims = `{"a": {}, "list": ["agent:read"], "text": "agent:read"}`
      assert.deepEqual(permissionsOf(name, claims), [], name)
    }
    assert.deepEqual(permissionsOf('b', '{"__proto__": {"b": "agent:read"}}'), [])
    assert.deepEqual(permissionsOf('a.b', '{"a": {"__proto__": {"b": "agent:read"}}}'), [])
    Object.assign(Object.prototype, { inherited: 'agent:read' })
    try {
      for (const name of ['inherited', 'a.inherited', '/a/inherited', 'a.__proto__.inherited']) {
        assert.deepEqual(permissionsOf(name, '{"a": {}}'), [], name)
      }
    } finally {
      Reflect.deleteProperty(Object.prototype, 'inherited')
    }
    // A member that is really named so is one like any other.
    assert.deepEqual(permissionsOf('a.__proto__', '{"a": {"__proto__": "agent:read"}}'), roles)
  })
})

describe('a role', () => {
  const AUTH_ROLES = JSON.stringify({
    admin: ['agent:read', 'agent:write'],
    viewer: ['agent:read'],
    none: [],
  })

  it('grants its permissions, in each of the two claims, beside permissions', () => {
    const { permissions } = read(
      { AUTH_ROLES },
      { scope: 'openid viewer', permissions: ['audit:read', 'none'] },
    )
    assert.deepEqual([...permissions].toSorted(), ['agent:read', 'audit:read', 'none', 'openid', 'viewer'])
    assert.ok(read({ AUTH_ROLES }, { permissions: ['admin'] }).permissions.has('agent:write'))
  })

  it('may have any name, also that of a member of an object', () => {
    const odd = `{"__proto__": ["agent:read"], "constructor": ["agent:write"]}`
    const { permissions } = read({ AUTH_ROLES: odd }, { scope: '__proto__ constructor toString' })
    assert.deepEqual([permissions.has('agent:read'), permissions.has('agent:write')], [true, true])
    assert.equal(
      read({ AUTH_ROLES }, { scope: '__proto__ constructor' }).permissions.has('agent:read'),
      false,
    )
  })
})

describe('name, client and id of a token', () => {
  it('come from the first claim that has them', () => {
    const of = (claims: object) => {
      const { name, clientId, tokenId } = read({ AUTH_CLAIM_NAME: 'profile.full_name' }, claims)
      return [name, clientId, tokenId]
    }
    assert.deepEqual(of({}), [null, null, null])
    assert.deepEqual(of({ profile: { full_name: 'Ann' }, azp: 'web', jti: 't1' }), ['Ann', 'web', 't1'])
    assert.deepEqual(of({ name: 'Ann', client_id: 'cli', azp: 'web', uti: 't2' }), [null, 'cli', 't2'])
    assert.deepEqual(of({ azp: '', cid: 'okta', jti: 7, uti: 't3' }), [null, 'okta', 't3'])
    assert.deepEqual(of({ appid: 'entra' }), [null, 'entra', null])
  })

  it('can be stored and shown: without control characters, and not too long', () => {
    const { name, clientId } = read({}, { name: ' Ann\u0000\u001b[31m\n Lee ', azp: 'x'.repeat(300) })
    assert.equal(name, 'Ann [31m  Lee')
    assert.equal(clientId?.length, 255)
    assert.equal(read({}, { name: `${'x'.repeat(254)}🚀🚀` }).name, `${'x'.repeat(254)}🚀`)
    assert.equal(read({}, { name: 'Ann\ud800' }).name, 'Ann\ufffd')
    // What is after U+202E is shown from right to left, also if it is not part of the name.
    assert.equal(read({}, { name: '\u202eeeL nnA\u2066\u2028x\u200f' }).name, 'eeL nnA x')
    for (const nothing of ['', ' ', '\u0000', '\u202e', 7, null, {}])
      assert.equal(read({}, { name: nothing }).name, null)
  })
})

describe('the variables of identity', () => {
  const errorsOf = (environment: Record<string, string>) => {
    try {
      read(environment, {})
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigInvalid)
      return error.message.split('\n').slice(1)
    }
  }

  it('are refused with a sentence for each fault', () => {
    const shape = 'must be a JSON object such as {"admin": ["agent:read", "agent:write"]}'
    for (const roles of ['admin', '[]', 'null', '7', '{"a"']) {
      assert.deepEqual(errorsOf({ AUTH_ROLES: roles }), [`  - AUTH_ROLES ${shape}`])
    }
    const wrong: Record<string, string> = {
      '{"a": "agent:read"}': 'must have a list of permissions for the role a',
      '{"a": ["agent:reed"]}': 'gives the role a the unknown permission "agent:reed"',
      '{"a": ["agent:read", null]}': 'gives the role a the unknown permission null',
      '{"a": [["agent:read"]]}': 'gives the role a the unknown permission ["agent:read"]',
      '{"agent:read": ["agent:write"]}': 'has the role agent:read, which is a permission',
    }
    for (const [roles, error] of Object.entries(wrong)) {
      assert.deepEqual(errorsOf({ AUTH_ROLES: roles }), [`  - AUTH_ROLES ${error}`])
    }
    assert.deepEqual(
      errorsOf({ AUTH_CLAIM_TEAM: '/a~2', AUTH_MAX_LIFETIME_S: '59', AUTH_REVOCATIONS_URL: 'x' }),
      [
        '  - AUTH_CLAIM_TEAM must write ~ as ~0 and / as ~1 inside a JSON pointer',
        '  - AUTH_MAX_LIFETIME_S must be a whole number from 60 to 31622400',
        '  - AUTH_REVOCATIONS_URL must be a URL that starts with https:// or http://',
      ],
    )
  })
})
