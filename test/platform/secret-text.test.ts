import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import Fastify from 'fastify'
import { readSecretChanges } from '../../src/agent/secrets/secret-change.ts'
import { Secrets, SecretText } from '../../src/platform/crypto/secrets.ts'
import { createLog } from '../../src/platform/observe/log.ts'

const CANARY = 'sk-canary-0123456789-WXYZ'

describe('a secret on its way through the process', () => {
  const secret = new SecretText(CANARY)
  const lines: string[] = []
  const log = createLog('trace', { write: (line) => void lines.push(line) })

  const logged = (write: () => void): string => {
    lines.length = 0
    write()
    return lines.join('')
  }
  // oxlint-disable-next-line typescript/restrict-template-expressions, typescript/no-base-to-string -- by accident
  const text = `${secret}`
  const ways: Record<string, () => string> = {
    'a template': () => text,
    'a concatenation': () => '' + (secret as unknown as number),
    'String()': () => String(secret),
    'a join': () => [secret, [secret]].join(),
    'JSON.stringify': () => JSON.stringify({ secret, list: [secret] }),
    'JSON.stringify of a copy': () =>
      JSON.stringify(Object.assign({}, secret)) + JSON.stringify(Object.entries(secret)),
    'util.inspect, of all that is hidden': () =>
      inspect({ secret }, { showHidden: true, depth: null, getters: true }) +
      inspect(secret, { customInspect: false, showHidden: true }),
    'util.format': () => ['%s', '%j', '%o', '%O'].map((how) => format(how, secret)).join(),
    'the message of an error': () => inspect(new Error(`refused ${text}`, { cause: secret })),
    'a failed assertion': () => inspect(new assert.AssertionError({ actual: secret, expected: 'x' })),
    'an object key': () => JSON.stringify({ [secret as unknown as string]: 1 }),
    'a clone for another thread': () => serialize(structuredClone({ secret })).toString('latin1'),
    'a log line': () => logged(() => log.info({ secret, deep: { secret } }, `${text} %s %j`, secret, secret)),
    'a logged error': () => logged(() => log.error({ err: new Error('failed', { cause: secret }) })),
  }
  for (const [name, show] of Object.entries(ways)) {
    it(`does not show in ${name}`, () => assert.ok(!show().includes('canary'), show()))
  }

  it('does not show in an answer, with or without a schema', async () => {
    const app = Fastify()
    const schema = { response: { 200: { type: 'object', properties: { secret: { type: 'string' } } } } }
    app.get('/with', { schema }, async () => ({ secret }))
    app.get('/without', async () => ({ secret }))
    for (const url of ['/with', '/without']) {
      assert.deepEqual((await app.inject({ url })).json(), { secret: '[secret]' })
    }
  })

  it('shows that there is one', () => {
    assert.equal(text, '[secret]')
    assert.equal(JSON.stringify({ secret }), '{"secret":"[secret]"}')
    assert.equal(inspect({ secret }), '{ secret: [secret] }')
  })

  it('comes out by the one way out', () => assert.equal(secret.reveal(), CANARY))

  it('does not show in what the service holds of a body, nor in what it opened', () => {
    const secrets = new Secrets([{ id: 'k', key: Buffer.alloc(32) }])
    const place = { teamId: 't', agentId: 'a' }
    const changes = readSecretChanges(secrets, place, {
      api_key: CANARY,
      white_box_config: { github_token: CANARY },
    })
    const opened = secrets.open(
      { ...place, field: 'api_key' },
      changes.api_key.action === 'set' ? changes.api_key.sealed : Buffer.alloc(0),
    )
    assert.equal(opened.reveal(), CANARY)
    for (const held of [changes, opened]) {
      const shown = inspect(held, { depth: null }) + JSON.stringify(held) + logged(() => log.info({ held }))
      assert.ok(!shown.includes('canary'), shown)
    }
  })
})
