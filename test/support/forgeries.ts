import { createHmac, constants as padding, randomUUID, sign } from 'node:crypto'
import type { Claims, Key, Scene } from './identity-scene.ts'

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

interface WrongProfile {
  header?: Record<string, unknown>
  claims?: (nowSeconds: number) => Claims
  detail: string
}

const WRONG_TYPE = "The token's type is not accepted: typ must be JWT, at+jwt or absent."
const BOUND = 'The token is bound to a key (claim cnf), which the console does not check.'
const TOO_LONG = 'The token is valid for longer than 86400 seconds.'
const DAY = 86_400

/** Members of the claims as they stand in JSON, for numbers that JavaScript cannot write. */
const RAW = 'raw '

const wrongTypes = [
  ...[
    'logout+jwt',
    'id_token',
    'dpop+jwt',
    'secevent+jwt',
    'JWS',
    'JWE',
    'Bearer',
    '',
    'at+jwt ',
    ' JWT',
    'JWTs',
  ],
  ...['application/', 'application/application/jwt', 'text/jwt', 'at+at+jwt', 'jwt;charset=utf-8', 'ａt+jwt'],
  ...[7, true, null, ['JWT'], { typ: 'JWT' }],
]
const bindings = [{ jkt: 'x' }, { 'x5t#S256': 'x' }, { jwk: {} }, {}, [], '', 'x', 0, false, null]
const lifetimes: Record<string, (now: number) => Claims> = {
  'a second more than a day': (now) => ({ exp: now + DAY + 1 }),
  'a second more than a day since it was issued': (now) => ({ iat: now - 100, exp: now - 100 + DAY + 1 }),
  'a year': (now) => ({ exp: now + 365 * DAY }),
  'an hour, in a year': (now) => ({ iat: now + 365 * DAY, exp: now + 365 * DAY + 3_600 }),
  'an hour, a minute more than a day from now': (now) => ({ iat: now + DAY - 3_500, exp: now + DAY + 100 }),
  'an end in milliseconds': (now) => ({ exp: now * 1_000 }),
  'an end of 1e300': () => ({ exp: 1e300 }),
  'an infinite end': () => ({ [`${RAW}exp`]: '1e999' }),
  'an infinite end and beginning': () => ({ [`${RAW}exp`]: '1e999', [`${RAW}iat`]: '1e999' }),
  'a beginning at -1e300': (now) => ({ iat: -1e300, exp: now + 60 }),
  'an infinite past': (now) => ({ [`${RAW}iat`]: '-1e999', exp: now + 60 }),
  'the beginning of time': (now) => ({ iat: 0, exp: now + 60 }),
}
const oddTimes: Record<string, unknown[]> = {
  exp: [true, [], {}, '', '1e9', '9999999999', [9_999_999_999]],
  iat: ['0', true, {}, null],
  nbf: [true, null, [0]],
}

/** Well signed by the issuer and in time, but no access token that the console takes. */
export const WRONG_PROFILES: Record<string, WrongProfile> = {
  ...Object.fromEntries(
    wrongTypes.map((typ) => [`the type ${JSON.stringify(typ)}`, { header: { typ }, detail: WRONG_TYPE }]),
  ),
  ...Object.fromEntries(
    bindings.map((cnf) => [`the binding ${JSON.stringify(cnf)}`, { claims: () => ({ cnf }), detail: BOUND }]),
  ),
  ...Object.fromEntries(
    Object.entries(lifetimes).map(([name, claims]) => [`a life of ${name}`, { claims, detail: TOO_LONG }]),
  ),
  ...Object.fromEntries(
    Object.entries(oddTimes).flatMap(([claim, values]) =>
      values.map((value) => [
        `an ${claim} of ${JSON.stringify(value)}`,
        { claims: () => ({ [claim]: value }), detail: notAccepted(claim) },
      ]),
    ),
  ),
}

export function withProfile(scene: Scene, { header, claims }: WrongProfile): string {
  const all = { ...scene.claims(), ...claims?.(scene.clock.ms / 1_000) }
  const members = Object.entries(all).map(([name, value]) =>
    name.startsWith(RAW)
      ? [name.slice(RAW.length), String(value)]
      : [name, JSON.stringify(value) ?? undefined],
  )
  // A raw member comes last, and the last one of a name counts.
  const text = members.flatMap(([name, value]) =>
    value === undefined ? [] : `${JSON.stringify(name)}:${value}`,
  )
  return signed(scene, `{${text.join(',')}}`, header)
}

/** What a console with these variables reads roles from. */
export const ROLE_VARIABLES = {
  AUTH_CLAIM_PERMISSIONS: 'resource_access.agent-console.roles',
  AUTH_CLAIM_TEAM: '/org/teams',
  AUTH_ROLES: JSON.stringify({ reader: ['agent:read'], auditor: ['audit:read'] }),
}

const withRoles = (roles: unknown): Claims => ({ resource_access: { 'agent-console': { roles } } })
const TEAMS = ['red', 'blue', '3fa85f64-5717-4562-b3fc-2c963f66afa6']

/** Claims that a console with ROLE_VARIABLES accepts. */
export const roleClaims = (scene: Scene, teams: unknown = TEAMS[0]): Claims => {
  const { scope: _, team_id: __, ...claims } = scene.claims()
  return { ...claims, org: { teams }, ...withRoles(['reader']) }
}

const powerless: Record<string, Claims> = {
  ...Object.fromEntries(
    [
      ...[
        'Reader',
        'reader ',
        ' reader',
        'READER',
        'readers',
        'reader\0',
        'rеader',
        'reader,auditor',
        'agent:read ',
      ],
      ...['agent:*', '*', 'agent', 'agent:READ', 'agent:read\n', 'auditor', '', '__proto__', 'constructor'],
      ...['toString', 'hasOwnProperty', 'size', 'get', '0', 'length'],
    ].flatMap((role) => [
      [`the role ${JSON.stringify(role)}`, withRoles([role])],
      [`the role ${JSON.stringify(role)} twice in lists`, withRoles([[role], [['reader']]])],
    ]),
  ),
  'roles that are an object': withRoles({ reader: true, 0: 'reader', length: 1 }),
  'roles in a list of clients': { resource_access: [{ roles: ['reader'] }] },
  'roles of another client': { resource_access: { 'agent-consoles': { roles: ['reader'] } } },
  'roles one level up': { resource_access: { roles: ['reader'] } },
  'roles in the name of the client': { 'resource_access.agent-console': { roles: ['reader'] } },
  'a path that ends at a text': { resource_access: 'reader' },
  'a path that ends at null': { resource_access: null },
}

/** JSON in which an object has a member `__proto__`, which JSON.stringify does not write. */
const withPrototype = (claims: Claims, prototype: Claims) =>
  JSON.stringify({ ...claims, replaced: 0 }).replace(
    '"replaced":0',
    `"__proto__":${JSON.stringify(prototype)}`,
  )

interface Refused {
  token: string
  headers?: Record<string, string>
}

/** Valid tokens and what is tried with them: refused with 403 by a console with ROLE_VARIABLES. */
export const WITHOUT_RIGHT: Record<string, (scene: Scene) => Refused> = {
  ...Object.fromEntries(
    Object.entries(powerless).map(([name, claims]) => [
      name,
      (scene: Scene) => ({
        token: signed(scene, { ...without(roleClaims(scene), 'resource_access'), ...claims }),
      }),
    ]),
  ),
  'roles of a prototype': (scene) => ({
    token: signed(scene, withPrototype({ ...roleClaims(scene), ...withRoles([]) }, { scope: 'agent:read' })),
  }),
  'clients of a prototype': (scene) => ({
    token: signed(scene, withPrototype(without(roleClaims(scene), 'resource_access'), withRoles(['reader']))),
  }),
  'a team of a prototype': (scene) => ({
    token: signed(scene, withPrototype(without(roleClaims(scene), 'org'), { org: { teams: 'red' } })),
  }),
  'several teams, and no choice': (scene) => ({ token: signed(scene, roleClaims(scene, TEAMS)) }),
  ...Object.fromEntries(
    [
      ...[
        '',
        'green',
        'RED',
        'red,blue',
        'red, blue',
        '"red"',
        'red;',
        '*',
        '0',
        'length',
        'undefined',
        'null',
      ],
      ...[
        '__proto__',
        'constructor',
        'toString',
        '3fa85f64-5717-4562-b3fc-2c963f66afa7',
        '{3fa85f64}',
        'urn:uuid:',
      ],
    ].flatMap((team) =>
      [TEAMS, 'red', ['red'], []].map((teams) => [
        `the team ${JSON.stringify(team)} of ${JSON.stringify(teams)}`,
        (scene: Scene) => ({
          token: signed(scene, roleClaims(scene, teams)),
          headers: { 'console-team': team },
        }),
      ]),
    ),
  ),
}

const without = (claims: Claims, name: string): Claims =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name))

/** In Unix seconds: earlier tokens of the user `auth0|changed` are revoked. */
export const CHANGED_AT = Math.floor(Date.now() / 1_000) - 60

/** What the list of revocations of the forged tokens names. */
export const REVOCATIONS = {
  tokens: ['revoked-1', 'revoked-2'],
  users: [
    { id: 'auth0|revoked' },
    { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6' },
    { id: 'auth0|changed', before: CHANGED_AT },
    // An older entry of the same user takes nothing back.
    { id: 'auth0|changed', before: 1_000_000_000 },
  ],
}

export const REVOKED: Record<string, Claims> = {
  'a revoked id': { jti: 'revoked-1' },
  'another revoked id, as Entra ID calls it': { uti: 'revoked-2' },
  'a revoked user': { sub: 'auth0|revoked' },
  'a revoked user in other letters of the UUID': { sub: '3FA85F64-5717-4562-B3FC-2C963F66AFA6' },
  'a revoked user without hyphens': { sub: '3fa85f6457174562b3fc2c963f66afa6' },
  'an issue before the user was revoked': { sub: 'auth0|changed', iat: CHANGED_AT - 1 },
  'an issue in the future of a revoked user': { sub: 'auth0|changed', iat: CHANGED_AT + 3_600 },
  'an unknown issue of a revoked user': { sub: 'auth0|changed' },
}
