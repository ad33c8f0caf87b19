import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  FORGERIES,
  REVOCATIONS,
  REVOKED,
  ROLE_VARIABLES,
  roleClaims,
  signed,
  signedByRsa,
  WITHOUT_RIGHT,
  WRONG_CLAIMS,
  WRONG_PROFILES,
  withClaims,
  withProfile,
} from '../../support/forgeries.ts'
import { accepted, challenges, send, useScene } from '../../support/identity-scene.ts'
import { standIn } from '../../support/identity-watch.ts'
import { sized } from '../../support/sized.ts'

const COUNT = sized(150, 12_000)
const CONCURRENCY = 16
const SEED = 20_260_101

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

interface Dice {
  token: number
  part: number
  /** From 0 to 1: where in the part. */
  position: number
  bit: number
  character: string
}

const dice = fc.record<Dice>({
  token: fc.nat(),
  part: fc.nat({ max: 2 }),
  position: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  bit: fc.nat({ max: 7 }),
  // Mostly what a token is made of; now and then any character that a header carries.
  character: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...BASE64URL.split('')) },
    { weight: 1, arbitrary: fc.nat({ max: 0x7e - 0x21 }).map((code) => String.fromCharCode(0x21 + code)) },
  ),
})

const onText = (change: (text: string, at: number, dice: Dice) => string) => (text: string, rolled: Dice) =>
  change(text, Math.floor(rolled.position * text.length), rolled)

const onBytes = (change: (bytes: Buffer, at: number, dice: Dice) => void) => (text: string, rolled: Dice) => {
  const bytes = Buffer.from(text, 'base64url')
  change(bytes, Math.floor(rolled.position * bytes.length), rolled)
  return bytes.toString('base64url')
}

/** What can happen to one part of a good token. */
const DAMAGES: Record<string, (text: string, rolled: Dice) => string> = {
  'a bit flipped': onBytes((bytes, at, { bit }) => {
    bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
  }),
  'a byte replaced': onBytes((bytes, at, { token }) => {
    bytes[at] = token % 256
  }),
  'a character replaced': onText(
    (text, at, { character }) => text.slice(0, at) + character + text.slice(at + 1),
  ),
  'the last character replaced': (text, { character }) => text.slice(0, -1) + character,
  'a character inserted': onText((text, at, { character }) => text.slice(0, at) + character + text.slice(at)),
  'a character removed': onText((text, at) => text.slice(0, at) + text.slice(at + 1)),
  'two characters exchanged': onText(
    (text, at) => text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2),
  ),
  'the end cut off': onText((text, at) => text.slice(0, at)),
  'a case changed': onText((text, at) => text.slice(0, at) + swapCase(text[at] ?? '') + text.slice(at + 1)),
}

const CODES = {
  401: /^(?:invalid_token|unauthenticated)$/,
  403: /^(?:permission_missing|team_(?:missing|ambiguous|not_yours))$/,
}

/** What is sent. */
interface Forged {
  token: string
  headers?: Record<string, string>
  /** 401 if absent. */
  status?: 403
}

describe('a forged token', async () => {
  const revocations = await standIn({ after }, (_, response) => response.end(JSON.stringify(REVOCATIONS)))
  const scene = await useScene({ ...ROLE_VARIABLES, AUTH_REVOCATIONS_URL: revocations.url })
  const good = [
    signed(scene, { ...roleClaims(scene), scope: 'agent:read' }),
    signed(scene, roleClaims(scene)),
    signedByRsa(scene, roleClaims(scene)),
  ]
  // The console now remembers them: a forgery that resembles one must not profit.
  for (const known of good) accepted(await send(scene, known))

  const damaged = (damage: (text: string, rolled: Dice) => string) => (rolled: Dice) => {
    const parts = (good[rolled.token % good.length] ?? '').split('.')
    return {
      token: parts.map((text, part) => (part === rolled.part ? damage(text, rolled) : text)).join('.'),
    }
  }
  const kinds: Record<string, (rolled: Dice) => Forged> = {
    ...mapValues(FORGERIES, (forge) => () => ({ token: forge(scene, 'http://attacker.test') })),
    ...mapValues(WRONG_CLAIMS, (wrong) => () => ({ token: withClaims(scene, wrong) })),
    ...mapValues(WRONG_PROFILES, (wrong) => () => ({ token: withProfile(scene, wrong) })),
    ...mapValues(REVOKED, (claims) => () => ({ token: signed(scene, { ...roleClaims(scene), ...claims }) })),
    ...mapValues(WITHOUT_RIGHT, (attempt) => () => ({ ...attempt(scene), status: 403 as const })),
    ...mapValues(DAMAGES, damaged),
    'parts of two good tokens': ({ token, part }) => {
      const [one = [], two = []] = [token, token + 1].map((i) => good[i % good.length]?.split('.'))
      return { token: one.map((text, i) => (i === part ? two[i] : text)).join('.') }
    },
  }

  /** Every kind once, then at random; what chance left unchanged is put aside. */
  function forgeAll() {
    const names = Object.keys(kinds)
    // Damage has by far the most variants, so it gets half of the attempts.
    const kind = fc.oneof(fc.constantFrom(...names), fc.constantFrom(...Object.keys(DAMAGES)))
    const attempts = fc.sample(fc.tuple(kind, dice), { numRuns: 2 * COUNT, seed: SEED })
    const forged: (Forged & { name: string })[] = []
    const unchanged: string[] = []
    for (const [index, [drawn, rolled]] of attempts.entries()) {
      if (forged.length === COUNT) break
      const name = names[index] ?? drawn
      const made = kinds[name]?.(rolled) as Forged
      if (good.some((original) => isSameToken(made.token, original))) unchanged.push(made.token)
      else forged.push({ name, ...made })
    }
    return { forged, unchanged }
  }

  it(`is never accepted, of ${COUNT}`, async (t) => {
    const { forged, unchanged } = forgeAll()
    assert.equal(forged.length, COUNT)

    await inParallel(forged, async ({ name, token, headers, status = 401 as const }) => {
      const reply = await send(scene, token, headers)
      assert.equal(reply.status, status, `${name}: ${token}`)
      assert.match(reply.body.code, CODES[status])
      if (status === 401) challenges(reply, '(, error="invalid_token")?')
    })
    // A console that refuses everything would prove nothing.
    await inParallel([...good, ...unchanged], async (token) => accepted(await send(scene, token)))

    for (const [kind, { length }] of Map.groupBy(forged, ({ name }) => name)) {
      t.diagnostic(`${length} with ${kind}`)
    }
    t.diagnostic(`${unchanged.length} more in which no byte of a good token had changed: accepted`)
  })

  it('is not what another spelling of the same signature makes', async () => {
    // The last character of 64 bytes in base64url has four bits to spare, which decoders drop (RFC 4648,
    // section 3.5). A client that can write this form holds the token already; it proves the same.
    const token = signed(scene, roleClaims(scene))
    const spellings = Array.from(BASE64URL, (last) => token.slice(0, -1) + last)
    const same = spellings.filter((spelling) => isSameToken(spelling, token))
    assert.equal(same.length, 16)
    for (const spelling of spellings) {
      const reply = await send(scene, spelling)
      if (same.includes(spelling)) accepted(reply)
      else assert.equal(reply.status, 401)
    }
    accepted(await send(scene, `${token}==`))
    // Likewise (r, n - s) is a signature wherever (r, s) is one: ECDSA has two for all that it signs.
    accepted(await send(scene, otherRoot(token)))
    // The first two parts have no such freedom: their very characters are signed.
    const [header = '', payload = '', signature = ''] = token.split('.')
    for (const padded of [`${header}=.${payload}`, `${header}==.${payload}`, `${header}.${payload}==`]) {
      assert.equal((await send(scene, `${padded}.${signature}`)).status, 401)
    }
  })
})

function otherRoot(token: string): string {
  const at = token.lastIndexOf('.') + 1
  const signature = Buffer.from(token.slice(at), 'base64url')
  const s = BigInt(`0x${signature.toString('hex', 32)}`)
  signature.write((P256_ORDER - s).toString(16).padStart(64, '0'), 32, 'hex')
  return token.slice(0, at) + signature.toString('base64url')
}

/** True where header and payload are the same characters, and the signature the same bytes. */
function isSameToken(token: string, original: string): boolean {
  const [one, two] = [token, original].map((text) => {
    const [, input, signature] = /^([\w-]+\.[\w-]+)\.([\w-]+)$/.exec(text) ?? []
    return { input, signature: Buffer.from(signature ?? '', 'base64url') }
  })
  return one?.input !== undefined && one.input === two?.input && one.signature.equals(two.signature)
}

function swapCase(character: string): string {
  const lower = character.toLowerCase()
  return character === lower ? character.toUpperCase() : lower
}

function mapValues<A, B>(record: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

async function inParallel<Item>(items: Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values()
  const worker = async () => {
    for (const item of queue) await work(item)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}
