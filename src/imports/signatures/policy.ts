import type { CardPolicyName, CardSignature } from '../../contract/card-signature.ts'

const MEANINGS: Record<CardSignature['state'], string> = {
  absent: 'The card has no signature.',
  untrusted_key: 'The card is signed, but not with a key that the team trusts for its origin.',
  invalid: 'The signature of the card is not valid: the card may have been changed.',
  verified: 'The signature of the card is verified.',
  unsupported_format: 'The card is signed with Sigstore, which the console does not verify.',
}

/** What a policy makes of the result of a verification: the reason why the card is refused, or what a reader should know. */
export function applyPolicy(
  policy: CardPolicyName,
  { state }: CardSignature,
): { refusal?: string; warning?: string } {
  const isRefused =
    policy === 'require' ? state !== 'verified' : policy === 'if_present' && state === 'invalid'
  if (isRefused) return { refusal: MEANINGS[state] }
  return state === 'verified' || state === 'absent' ? {} : { warning: MEANINGS[state] }
}
