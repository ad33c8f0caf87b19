import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { CARD_ALGORITHMS } from '../../src/contract/card-signature.ts'
import { documents } from '../../src/http/validation/documents.ts'
import type { Fetched } from '../../src/imports/cards/fetch.ts'
import { createReadCards } from '../../src/imports/cards/read-cards.ts'
import type { ImportRow } from '../../src/imports/row.ts'
import { canonicalJson } from '../../src/imports/signatures/canonical-json.ts'
import { compact, withPresence } from '../../src/imports/signatures/presence.ts'
import type { CardTrust } from '../../src/imports/signatures/service.ts'
import { verifyCard } from '../../src/imports/signatures/verify.ts'
import { createRandom, type Json, type MadeCard, makeCard } from '../support/agent-cards.ts'
import { BREAKAGES, breakCard } from '../support/broken-cards.ts'
import { createCardSigner, signText, signWithSdk } from '../support/signed-cards.ts'

const CARDS = Number(process.env['CARDS'] ?? 100)
const BROKEN = Number(process.env['BROKEN_CARDS'] ?? BREAKAGES.length * 2)
const SIGNED = Number(process.env['SIGNED_CARDS'] ?? 20)
const SEED = Number(process.env['CARDS_SEED'] ?? 1)

const ORIGIN = 'https://agents.example.com'
const VERSIONS = ['1.0', '0.3'] as const
const signal = new AbortController().signal

/** Reads a card as if the server at ORIGIN had sent these bytes. */
async function readFetched(bytes: Buffer, trust: Partial<CardTrust> = {}): Promise<ImportRow> {
  const read = createReadCards({
    documents,
    now: () => 1_700_000_000_000,
    readTrust: async () => ({ keys: [], policy: 'if_present', ...trust }),
    get: async (url) => ({ url, status: 200, contentType: null, etag: '"v1"', body: bytes }),
  })
  const [row] = await read({ card_url: `${ORIGIN}/card.json` }, { teamId: 'team', signal })
  return row as ImportRow
}

const bytesOf = (card: Json) => Buffer.from(JSON.stringify(card))

describe(`agent cards (CARDS_SEED=${SEED})`, () => {
  const random = createRandom(SEED)
  const made = (index: number): MadeCard => makeCard(random, VERSIONS[index % 2] ?? '1.0')

  it(`maps ${CARDS} cards of both versions as specified`, async () => {
    for (let index = 0; index < CARDS; index++) {
      const { card, version, expected } = made(index)
      const { faults, fields, externalKey, warnings, onCreate, signature } = await readFetched(bytesOf(card))
      assert.deepEqual(faults, [], JSON.stringify(card))
      const { import_metadata: metadata, ...mapped } = fields as { import_metadata: Json }
      const { interfaces, hasSchemes, ...values } = expected
      assert.deepEqual(mapped, { ...values, protocol: 'a2a' })
      assert.deepEqual(onCreate, { model_name: 'unknown', access_level: 'grey_box' })
      assert.deepEqual(signature, { state: 'absent' })
      assert.equal(externalKey, `${ORIGIN}/card.json`)
      assert.deepEqual(metadata['interfaces'], interfaces)
      const pinned = interfaces.find(({ url }) => url === expected.agent_url) ?? null
      assert.deepEqual(metadata['pinned_interface'], pinned)
      assert.equal(metadata['source'], 'a2a_card')
      assert.equal(metadata['source_url'], `${ORIGIN}/card.json`)
      assert.equal(metadata['original_format'], `a2a/${version}`)
      assert.equal(metadata['etag'], '"v1"')
      assert.match(String(metadata['digest']), /^[0-9a-f]{64}$/)
      assert.equal('security_schemes' in metadata, hasSchemes)
      assert.equal(
        warnings.some((warning) => warning.includes('needs a key')),
        hasSchemes,
      )
      assert.equal(
        warnings.some((warning) => warning.includes('agent_url is empty')),
        pinned === null,
      )
    }
  })

  it(`refuses ${BROKEN} broken cards, and says where`, async () => {
    for (let index = 0; index < BROKEN; index++) {
      const breakage = BREAKAGES[index % BREAKAGES.length] as (typeof BREAKAGES)[number]
      const version = breakage.version ?? VERSIONS[Math.floor(index / BREAKAGES.length) % 2] ?? '1.0'
      const { faults, fields } = await readFetched(breakCard(makeCard(random, version), breakage))
      const found = faults.map(({ loc, type }) => JSON.stringify([loc, type]))
      const expected = JSON.stringify([breakage.loc, breakage.type])
      assert.ok(found.includes(expected), `${breakage.name} (${version}): ${found.join()}`)
      assert.deepEqual(fields, {}, breakage.name)
    }
  })

  it(`verifies ${SIGNED} signatures of the SDK of A2A, and never asks a key of the signer`, async () => {
    const attempts: string[] = []
    const listener = createServer((socket) => {
      attempts.push(String(socket.remotePort))
      socket.destroy()
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    const { port } = listener.address() as { port: number }
    const signers = CARD_ALGORITHMS.map((algorithm) =>
      createCardSigner(algorithm, `key-${algorithm}`, [ORIGIN]),
    )
    const keys = signers.map(({ key }) => ({ ...key, updated_at: 0, updated_by: '' }))
    const stranger = createCardSigner('ES256', 'stranger', [ORIGIN])
    const forms = new Set<string>()
    try {
      for (let index = 0; index < SIGNED; index++) {
        const signer = signers[index % signers.length] as (typeof signers)[number]
        const { card } = makeCard(random, '1.0')
        const named = { jku: `http://127.0.0.1:${port}/jwks.json`, x5u: `http://127.0.0.1:${port}/x5u` }
        const signed = await signWithSdk(card, signer, named)
        const row = await readFetched(bytesOf(signed), { keys, policy: 'require' })
        assert.deepEqual(row.faults, [], JSON.stringify(signed))
        assert.equal(row.signature?.state, 'verified')
        assert.equal(row.signature?.kid, signer.key.kid)
        forms.add(String(row.signature?.form))

        const changed = await readFetched(bytesOf({ ...signed, description: 'changed' }), { keys })
        assert.equal(changed.signature?.state, 'invalid')
        assert.deepEqual(
          changed.faults.map(({ loc }) => loc),
          [['signatures']],
        )

        // The key of the signer is in the header: it proves nothing.
        const jwk = stranger.key.public_key
        const forged = await signWithSdk(card, stranger, { ...named, jwk, x5c: ['MIIB'] })
        assert.equal((await readFetched(bytesOf(forged), { keys })).signature?.state, 'untrusted_key')
        const posing = { ...stranger, key: { ...stranger.key, kid: signers[0]?.key.kid ?? '' } }
        const posed = await signWithSdk(card, posing, { ...named, jwk })
        assert.equal((await readFetched(bytesOf(posed), { keys })).signature?.state, 'invalid')
      }
    } finally {
      listener.close()
    }
    assert.deepEqual(attempts, [])
    assert.ok(forms.size > 0)
  })

  it('verifies what other signers sign: the card as it is, and the form of the specification', async () => {
    const signer = createCardSigner('EdDSA', 'key', [ORIGIN])
    const counts: Record<string, number> = {}
    for (let index = 0; index < SIGNED; index++) {
      const { card, version } = made(index)
      delete card['signatures']
      const present = withPresence(card, version)
      const texts = { transmitted: card, presence: present, compact: compact(present) }
      for (const [form, content] of Object.entries(texts)) {
        const signed = await signText(card, canonicalJson(content), signer)
        const fetched: Pick<Fetched, 'origin'> = { origin: ORIGIN }
        const result = await verifyCard({ value: signed, version, origins: [fetched.origin] }, [signer.key])
        const { state, form: matched = '' } = result.signature
        assert.equal(state, 'verified', `${form}: ${JSON.stringify(card)}`)
        counts[matched] = (counts[matched] ?? 0) + 1
      }
    }
    assert.deepEqual(Object.keys(counts).toSorted(), ['compact', 'presence', 'transmitted'])
  })
})
