import { createHmac, constants as padding, randomUUID, sign } from 'node:crypto'
import type { Claims, Key, Scene } from './scene.ts'

type Signer = (input: string) => Buffer

const es256 =
  (key: Key, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), { key: key.private, dsaEncoding })
const rsaWith =
  (key: Key, hash = 'sha256'): Signer =>
  (input) =>
    sign(hash, Buffer.from(input), key.private)
const ps256 =
  (key: Key): Signer =>
  (input) =>
    sign('sha256', Buffer.from(input), {
      key: key.private,
      padding: padding.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    })
const hmac =
  (secret: string | Buffer, hash = 'sha256'): Signer =>
  (input) =>
    createHmac(hash, secret).update(input).digest()

const part = (content: unknown) =>
  Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)).toString('base64url')

function compact(header: unknown, payload: unknown, signer: Signer): string {
  const input = `${part(header)}.${part(payload)}`
  return `${input}.${signer(input).toString('base64url')}`
}

const pem = ({ public: key }: Key) => key.export({ type: 'spki', format: 'pem' })
const der = ({ public: key }: Key) => key.export({ type: 'spki', format: 'der' })
const jwk = ({ kid, public: key }: Key) => ({ ...key.export({ format: 'jwk' }), kid })

/** Signed as the issuer would: accepted if its claims and the rest of its header are. */
export const signed = ({ ec }: Scene, claims: unknown, header: object = {}) =>
  compact({ alg: 'ES256', kid: ec.kid, typ: 'at+jwt', ...header }, claims, es256(ec))
export const signedByRsa = ({ rsa }: Scene, claims: unknown) =>
  compact({ alg: 'RS256', kid: rsa.kid, typ: 'at+jwt' }, claims, rsaWith(rsa))

/** A good token in its three parts. */
function split(scene: Scene, claims = scene.claims()): [string, string, string] {
  return signed(scene, claims).split('.') as [string, string, string]
}

/** Another header over the payload and the signature of a good token. */
function reheaded(scene: Scene, header: unknown): string {
  const [, payload, signature] = split(scene)
  return `${part(header)}.${payload}.${signature}`
}

/** A good token with something else done to its signature. */
function resigned(scene: Scene, change: (signature: Buffer) => Buffer): string {
  const [header, payload, signature] = split(scene)
  return `${header}.${payload}.${change(Buffer.from(signature, 'base64url')).toString('base64url')}`
}

/** Signed by the attacker, who tells where his key is to be found. */
const pointing = ({ attacker, claims }: Scene, kid: string, pointer: object) =>
  compact({ alg: 'ES256', kid, ...pointer }, claims(), es256(attacker.ec))

/** Tokens that only the issuer could sign correctly, and texts that are not JWTs at all. */
export const FORGERIES: Record<string, (scene: Scene, attackerUrl?: string) => string> = {
  'alg none': ({ ec, claims }) => `${part({ alg: 'none', kid: ec.kid })}.${part(claims())}.`,
  'alg none in other letters': ({ ec, claims }) => `${part({ alg: 'nOnE', kid: ec.kid })}.${part(claims())}.`,
  'alg none over a good signature': (scene) => reheaded(scene, { alg: 'none', kid: scene.ec.kid }),
  'no alg': (scene) => signed(scene, scene.claims(), { alg: undefined }),
  'an alg that is a list': (scene) => signed(scene, scene.claims(), { alg: ['ES256'] }),
  'HS256 with the public PEM as the secret': ({ ec, claims }) =>
    compact({ alg: 'HS256', kid: ec.kid }, claims(), hmac(pem(ec))),
  'HS256 with the public JWK as the secret': ({ ec, claims }) =>
    compact({ alg: 'HS256', kid: ec.kid }, claims(), hmac(JSON.stringify(jwk(ec)))),
  'HS256 with the public DER as the secret': ({ ec, claims }) =>
    compact({ alg: 'HS256', kid: ec.kid }, claims(), hmac(der(ec))),
  'HS512 with the public RSA PEM as the secret': ({ rsa, claims }) =>
    compact({ alg: 'HS512', kid: rsa.kid }, claims(), hmac(pem(rsa), 'sha512')),
  'HS256 with an empty secret': ({ ec, claims }) =>
    compact({ alg: 'HS256', kid: ec.kid }, claims(), hmac('')),
  'an unknown kid': (scene) => signed(scene, scene.claims(), { kid: randomUUID() }),
  'a kid that is a number': (scene) => signed(scene, scene.claims(), { kid: 7 }),
  'another key under our kid': ({ ec, attacker, claims }) =>
    compact({ alg: 'ES256', kid: ec.kid }, claims(), es256(attacker.ec)),
  'another RSA key under our kid': ({ rsa, attacker, claims }) =>
    compact({ alg: 'RS256', kid: rsa.kid }, claims(), rsaWith(attacker.rsa)),
  'another key and no kid': ({ attacker, claims }) =>
    compact({ alg: 'RS256' }, claims(), rsaWith(attacker.rsa)),
  'RS256 under the kid of an EC key': ({ ec, attacker, claims }) =>
    compact({ alg: 'RS256', kid: ec.kid }, claims(), rsaWith(attacker.rsa)),
  'ES256 under the kid of an RSA key': ({ rsa, attacker, claims }) =>
    compact({ alg: 'ES256', kid: rsa.kid }, claims(), es256(attacker.ec)),
  'ES384 with a key for ES256': (scene) => signed(scene, scene.claims(), { alg: 'ES384' }),
  'PS256 with a key for RS256': ({ rsa, claims }) =>
    compact({ alg: 'PS256', kid: rsa.kid }, claims(), ps256(rsa)),
  'RS512 with a key for RS256': ({ rsa, claims }) =>
    compact({ alg: 'RS512', kid: rsa.kid }, claims(), rsaWith(rsa, 'sha512')),
  'a jku of the attacker': (scene, url) => pointing(scene, 'attacker-ec', { jku: `${url}/jwks` }),
  'a jku of the attacker under our kid': (scene, url) =>
    pointing(scene, scene.ec.kid, { jku: `${url}/jwks` }),
  'an x5u of the attacker': (scene, url) => pointing(scene, 'attacker-ec', { x5u: `${url}/x5u` }),
  'an x5u of the attacker under our kid': (scene, url) =>
    pointing(scene, scene.ec.kid, { x5u: `${url}/x5u` }),
  'a jwk of the attacker': (scene) => pointing(scene, 'attacker-ec', { jwk: jwk(scene.attacker.ec) }),
  'a jwk of the attacker under our kid': (scene) =>
    pointing(scene, scene.ec.kid, { jwk: { ...jwk(scene.attacker.ec), kid: scene.ec.kid } }),
  'a critical extension that is unknown': (scene) =>
    signed(scene, scene.claims(), { crit: ['urn:example:x'], 'urn:example:x': true }),
  'an empty list of critical extensions': (scene) => signed(scene, scene.claims(), { crit: [] }),
  // RFC 7797, section 7: a JWT must not.
  'a payload declared unencoded': (scene) => signed(scene, scene.claims(), { b64: false, crit: ['b64'] }),
  'a truncated signature': (scene) => resigned(scene, (signature) => signature.subarray(0, -1)),
  'half a signature': (scene) => resigned(scene, (signature) => signature.subarray(0, 32)),
  'an empty signature': (scene) => resigned(scene, () => Buffer.alloc(0)),
  'a signature of zeros': (scene) => resigned(scene, () => Buffer.alloc(64)),
  'a signature with a byte more': (scene) =>
    resigned(scene, (signature) => Buffer.concat([signature, Buffer.alloc(1)])),
  'a signature in DER': ({ ec, claims }) =>
    compact({ alg: 'ES256', kid: ec.kid }, claims(), es256(ec, 'der')),
  'another payload under a good signature': (scene) => {
    const [header, , signature] = split(scene)
    return `${header}.${part(scene.claims())}.${signature}`
  },
  'another header over a good signature': (scene) =>
    reheaded(scene, { typ: 'at+jwt', kid: scene.ec.kid, alg: 'ES256' }),
  'a signature of another token': (scene) => [...split(scene).slice(0, 2), split(scene)[2]].join('.'),
  'two parts': (scene) => split(scene).slice(0, 2).join('.'),
  'four parts': (scene) => `${split(scene).join('.')}.${part('{}')}`,
  'five parts, as of a JWE': (scene) => `${split(scene).join('.')}.AAAA.AAAA`,
  'a header that is no JSON': (scene) => reheaded(scene, 'ES256'),
  'a header that is a list': (scene) => reheaded(scene, [{ alg: 'ES256', kid: scene.ec.kid }]),
  'a payload that is no JSON': (scene) => signed(scene, 'claims'),
  'a payload that is a list': (scene) => signed(scene, [scene.claims()]),
  'a token within a token': (scene) => signed(scene, signed(scene, scene.claims()), { cty: 'JWT' }),
  'a word': () => 'token',
  'dots alone': () => '..',
}

const notAccepted = (claim: string) => `The token's claim ${claim} is not accepted.`
const EXPIRED = 'The token has expired.'

interface WrongClaims {
  change: (good: Claims, nowSeconds: number) => Claims
  detail: string
}

/** Well signed, but for another place or another time. */
export const WRONG_CLAIMS: Record<string, WrongClaims> = {
  'another issuer': { change: () => ({ iss: 'https://issuer.test' }), detail: notAccepted('iss') },
  'the issuer with a slash more': {
    change: ({ iss }) => ({ iss: `${String(iss)}/` }),
    detail: notAccepted('iss'),
  },
  'the issuer in a list': { change: ({ iss }) => ({ iss: [iss] }), detail: notAccepted('iss') },
  'no issuer': { change: () => ({ iss: undefined }), detail: notAccepted('iss') },
  'another audience': { change: () => ({ aud: 'another-api' }), detail: notAccepted('aud') },
  'the audience with more letters': {
    change: ({ aud }) => ({ aud: `${String(aud)}s` }),
    detail: notAccepted('aud'),
  },
  'a list of other audiences': { change: () => ({ aud: ['one', 'two'] }), detail: notAccepted('aud') },
  'an empty list of audiences': { change: () => ({ aud: [] }), detail: notAccepted('aud') },
  'no audience': { change: () => ({ aud: undefined }), detail: notAccepted('aud') },
  'no exp': { change: () => ({ exp: undefined }), detail: notAccepted('exp') },
  'an exp of null': { change: () => ({ exp: null }), detail: notAccepted('exp') },
  'an exp that is text': { change: ({ exp }) => ({ exp: String(exp) }), detail: notAccepted('exp') },
  'an exp 30 s ago': { change: (_, now) => ({ exp: now - 30 }), detail: EXPIRED },
  'an exp long ago': { change: () => ({ exp: 1 }), detail: EXPIRED },
  'an nbf in 31 s': { change: (_, now) => ({ nbf: now + 31 }), detail: notAccepted('nbf') },
  'an nbf that is text': { change: () => ({ nbf: '0' }), detail: notAccepted('nbf') },
}

export function withClaims(scene: Scene, { change }: WrongClaims): string {
  const claims = scene.claims()
  return signed(scene, { ...claims, ...change(claims, scene.clock.ms / 1_000) })
}
