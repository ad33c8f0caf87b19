import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Core } from '../../src/core.ts'
import { readCardRow } from '../../src/features/batch/import-body.ts'
import type { ReadRow } from '../../src/features/batch/import-rows.ts'
import { createRandom, type Json, type MadeCard, makeCard } from '../support/agent-cards.ts'
import { BREAKAGES, breakCard } from '../support/broken-cards.ts'
import { seedOr, sized } from '../support/sized.ts'

const CARDS = sized(100, 1_000)
const BROKEN = sized(BREAKAGES.length * 2, 200)
const SEED = seedOr(1)

const ORIGIN = 'https://agents.example.com'
const VERSIONS = ['1.0', '0.3'] as const
const signal = new AbortController().signal

/** Reads a card as if the server at ORIGIN had sent these bytes. */
async function readFetched(bytes: Buffer): Promise<ReadRow> {
  const outbound: Pick<Core['outbound'], 'get'> = {
    get: async (url) => ({ url, status: 200, contentType: null, etag: '"v1"', body: bytes }),
  }
  const core = { now: () => 1_700_000_000_000, outbound }
  return readCardRow(core, { card_url: `${ORIGIN}/card.json` }, { teamId: 'team', signal })
}

const bytesOf = (card: Json) => Buffer.from(JSON.stringify(card))

describe(`agent cards (--seed ${SEED})`, () => {
  const random = createRandom(SEED)
  const made = (index: number): MadeCard => makeCard(random, VERSIONS[index % 2] ?? '1.0')

  it(`maps ${CARDS} cards of both versions as specified`, async () => {
    for (let index = 0; index < CARDS; index++) {
      const { card, version, expected } = made(index)
      const { faults, fields, externalKey, warnings, onCreate } = await readFetched(bytesOf(card))
      assert.deepEqual(faults, [], JSON.stringify(card))
      const { import_metadata: metadata, ...mapped } = fields as { import_metadata: Json }
      const { interfaces, hasSchemes, ...values } = expected
      assert.deepEqual(mapped, { ...values, protocol: 'a2a' })
      assert.deepEqual(onCreate, { model_name: 'unknown', access_level: 'grey_box' })
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
})
