import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { Client } from 'pg'
import { rotateSecrets } from '../../scripts/rotate-secrets.ts'
import { type KeyringEntry, Secrets, SecretText } from '../../src/platform/crypto/secrets.ts'
import { COLLECTION, createAgent } from '../support/agents.ts'
import { startConsole } from '../support/console.ts'
import { startProcess } from '../support/processes.ts'
import { proveRotation } from '../support/rotation.ts'
import { sized } from '../support/sized.ts'
import { until } from '../support/until.ts'
import { waitingForLock } from '../support/waiting-for-lock.ts'

describe('a rotation', () => {
  it('killed twice and while others write, leaves no secret under an older key and changes none', (t) =>
    proveRotation(sized(600, 100_000), (line) => t.diagnostic(line)))

  it('leaves a secret alone that a writer was replacing at that moment', async () => {
    await inScene(async ({ older, newer, running, client, writer }) => {
      const person = await running.person()
      const { id } = await createAgent(running, person, { api_key: 'sk-before' })
      const place = { teamId: person.team, agentId: id, field: 'api_key' }
      const secrets = new Secrets([newer, older])
      await writer.query('BEGIN')
      await writer.query('UPDATE agents SET api_key_sealed = $1 WHERE id = $2', [
        secrets.seal(place, new SecretText('sk-after')),
        id,
      ])
      const rotation = rotateSecrets(client, secrets, { report: () => {} })
      await until(
        'the rotation waits for the writer',
        async () => (await waitingForLock(running.database)).length > 0,
      )
      await writer.query('COMMIT')
      assert.equal(await rotation, 0)
      const { rows } = await writer.query('SELECT api_key_sealed FROM agents WHERE id = $1', [id])
      assert.equal(secrets.open(place, rows[0].api_key_sealed).reveal(), 'sk-after')
    })
  })

  it('seals named secrets too, those of deleted agents among them', async () => {
    await inScene(async ({ older, newer, running, client }) => {
      const person = await running.person()
      const ids = [await createAgent(running, person), await createAgent(running, person)].map(({ id }) => id)
      for (const id of ids) {
        for (const name of ['first', 'second']) {
          const path = `${COLLECTION}/${id}/secrets/${name}`
          await running.request('PUT', path, { token: person.token, json: { value: `sk-${name}` } })
        }
      }
      await running.request('DELETE', `${COLLECTION}/${ids[1]}`, { token: person.token })
      const secrets = new Secrets([newer, older])
      assert.equal(await rotateSecrets(client, secrets, { batch: 1, report: () => {} }), 0)
      const { rows } = await client.query('SELECT * FROM agent_secrets')
      assert.equal(rows.length, 4)
      const newOnly = new Secrets([newer])
      for (const { agent_id: agentId, name, sealed, fingerprint } of rows) {
        const place = { teamId: person.team, agentId, field: `secrets.${name}` }
        const secret = newOnly.open(place, sealed)
        assert.equal(secret.reveal(), `sk-${name}`)
        assert.deepEqual(fingerprint, newOnly.fingerprints(place, secret)[0])
      }
    })
  })

  it('is not begun with a batch that is no number, or keys that are none', async () => {
    const keys = `id:${randomBytes(32).toString('base64')}`
    for (const [batch, ring, sentence] of [
      ['many', keys, /^ROTATE_BATCH must be a whole number from 1 to 10000\n$/],
      ['0', keys, /^ROTATE_BATCH must be a whole number/],
      ['500', 'sk-not-a-ring', /^SECRETS_KEYS must be id:base64.*; entry 1 is invalid\n$/],
    ] as const) {
      const environment = {
        DATABASE_URL: 'postgres://127.0.0.1:1/none',
        SECRETS_KEYS: ring,
        ROTATE_BATCH: batch,
      }
      const rotation = startProcess('scripts/rotate-secrets.ts', environment)
      assert.equal(await rotation.ended, 1)
      assert.match(rotation.output(), sentence)
    }
  })

  it('goes on past a secret that no key opens, and names it', async () => {
    await inScene(async ({ newer, running, client }) => {
      const person = await running.person()
      const { id } = await createAgent(running, person, { api_key: 'sk-lost-for-ever' })
      const lines: string[] = []
      const left = await rotateSecrets(client, new Secrets([newer]), {
        report: (line) => void lines.push(line),
      })
      assert.equal(left, 1)
      const text = lines.join('\n')
      assert.match(text, new RegExp(`api_key of agent ${id} .* The keyring has no key older`))
      assert.ok(!text.includes('sk-lost'))
    })
  })
})

interface Scene {
  older: KeyringEntry
  newer: KeyringEntry
  running: Awaited<ReturnType<typeof startConsole>>
  client: Client
  writer: Client
}

/** A console that seals under an older key, and two connections to its database. */
async function inScene(act: (scene: Scene) => Promise<void>): Promise<void> {
  const [older, newer] = [
    { id: 'older', key: randomBytes(32) },
    { id: 'newer', key: randomBytes(32) },
  ]
  const running = await startConsole({
    environment: { SECRETS_KEYS: `older:${older.key.toString('base64')}` },
  })
  const connectionString = running.database.url
  const [client, writer] = [new Client({ connectionString }), new Client({ connectionString })]
  try {
    await Promise.all([client.connect(), writer.connect()])
    await act({ older, newer, running, client, writer })
  } finally {
    await Promise.all([client.end(), writer.end()])
    await running.close()
  }
}
