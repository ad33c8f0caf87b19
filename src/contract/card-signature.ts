import { type Static, Type } from 'typebox'
import { described, FreeFormObject, nullable, oneOf, ref, UnixSeconds, Uuid } from './fields.ts'

export const MAX_CARD_KEYS = 100
const MAX_KEY_ORIGINS = 50

export const CARD_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'] as const
export type CardAlgorithm = (typeof CARD_ALGORITHMS)[number]

const CARD_POLICIES = ['off', 'if_present', 'require'] as const
export type CardPolicyName = (typeof CARD_POLICIES)[number]
export const DEFAULT_CARD_POLICY: CardPolicyName = 'if_present'

export const SIGNATURE_STATES = [
  ...(['absent', 'untrusted_key', 'invalid', 'verified', 'unsupported_format'] as const),
] as const

/** The texts that signers sign, in the order in which they are tried. */
export const SIGNED_FORMS = ['transmitted', 'presence', 'compact'] as const
export type SignedForm = (typeof SIGNED_FORMS)[number]

export const CardSignature = Type.Object(
  {
    state: oneOf(SIGNATURE_STATES, {
      description:
        '`absent`: the card has no signature. `verified`: a key of the team for the origin of the card made a signature. ' +
        '`untrusted_key`: no signature is of a key that the team has for this origin. `invalid`: a signature is malformed, or does not ' +
        'match the card. `unsupported_format`: the card is signed with Sigstore, which the console does not verify.',
    }),
    kid: Type.Optional(Type.String({ description: 'With `verified`: id of the key.' })),
    form: Type.Optional(
      oneOf(SIGNED_FORMS, {
        description:
          'With `verified`: what was signed, as canonical JSON (RFC 8785) without `signatures`. `transmitted`: the card as it came. ' +
          '`presence`: without members that have their default value, except required ones, as A2A 1.0 says. `compact`: also without ' +
          'empty required members, as the SDKs of A2A sign.',
      }),
    ),
  },
  { $id: 'CardSignature', description: 'The result of the verification of the signatures of an agent card.' },
)
export type CardSignature = Static<typeof CardSignature>

const KEY_ID = Type.String({
  minLength: 1,
  maxLength: 255,
  // The first character is no dot: clients resolve `..` in a path.
  pattern: '^[!-\\-/-~][ -~]*$',
  description:
    'Key id: the `kid` of the signatures. 1 to 255 printable ASCII characters; the first one is neither a space nor a dot.',
})

const KEY_CONTENT = {
  algorithm: oneOf(CARD_ALGORITHMS, {
    description: 'The only algorithm that signatures of this key may have.',
  }),
  public_key: described(
    FreeFormObject,
    'The public key as JWK (RFC 7517): P-256 for ES256, P-384 for ES384, Ed25519 for EdDSA, RSA with 2,048 to 8,192 bits for PS256 and ' +
      'RS256. A private key is refused.',
  ),
  origins: Type.Array(Type.String({ maxLength: 300 }), {
    minItems: 1,
    maxItems: MAX_KEY_ORIGINS,
    description:
      'Origins whose cards the key may sign, such as `https://agents.example.com`. A card that was fetched must come from one of them; ' +
      `all interfaces of a card in a request must be at one of them. 1 to ${MAX_KEY_ORIGINS}.`,
  }),
}

export const CardKeyContent = Type.Object(KEY_CONTENT, {
  $id: 'CardKeyContent',
  description: 'A public key whose signatures of agent cards the team trusts.',
  examples: [
    {
      algorithm: 'ES256',
      public_key: {
        ...{ kty: 'EC', crv: 'P-256' },
        x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
        y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
      },
      origins: ['https://agents.example.com'],
    },
  ],
})
export type CardKeyContent = Static<typeof CardKeyContent>

export const CardKey = Type.Object(
  {
    kid: KEY_ID,
    ...KEY_CONTENT,
    updated_at: described(UnixSeconds, 'Time of the last change, Unix time in seconds.'),
    updated_by: described(Uuid, 'User that made the last change.'),
  },
  { $id: 'CardKey', description: 'A public key whose signatures of agent cards the team trusts.' },
)
export type CardKey = Static<typeof CardKey>

export const CardKeyList = Type.Object(
  {
    results: Type.Array(ref(CardKey), {
      description: `The keys of the team, by id. At most ${MAX_CARD_KEYS}.`,
    }),
  },
  { $id: 'CardKeyList', description: 'The keys that the team trusts.' },
)
export type CardKeyList = Static<typeof CardKeyList>

export const CardKeyId = Type.Object({ kid: KEY_ID })

const POLICY = oneOf(CARD_POLICIES, {
  description:
    '`off`: the result of the verification has no effect. `if_present`: a card with an invalid signature is refused. `require`: ' +
    'a card is refused unless its signature is verified. Default: `if_present`.',
})

export const CardPolicyContent = Type.Object(
  { signatures: POLICY },
  {
    $id: 'CardPolicyContent',
    description: 'What happens to agent cards by their signatures.',
    examples: [{ signatures: 'require' }],
  },
)
export type CardPolicyContent = Static<typeof CardPolicyContent>

export const CardPolicy = Type.Object(
  {
    signatures: POLICY,
    updated_at: nullable(
      described(
        UnixSeconds,
        'Time of the last change, Unix time in seconds. null: the team has not changed it.',
      ),
    ),
    updated_by: nullable(
      described(Uuid, 'User that made the last change. null: the team has not changed it.'),
    ),
  },
  { $id: 'CardPolicy', description: 'What happens to agent cards by their signatures.' },
)
export type CardPolicy = Static<typeof CardPolicy>

export const CARD_SIGNATURE_SCHEMAS = [
  ...[CardSignature, CardKeyContent, CardKey, CardKeyList, CardPolicyContent, CardPolicy],
]
