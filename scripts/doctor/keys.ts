import { advice, type Context, orOk, problem, type Result } from './finding.ts'

/** Of 32 random bytes about 30 differ. Fewer than 20 do not occur in 10^9 random keys. */
const FEWEST_DIFFERENT_BYTES = 20

/** Whether the keys look random. A key is named by its id, never by its bytes. */
export function checkKeys({ config }: Context): Result[] {
  const { secretsKeys, services } = config
  const passed = services.filter(({ token }) => token === 'pass').map(({ name }) => name)
  return orOk(
    [
      ...secretsKeys.map(({ id, key }) => {
        const weakness = findWeakness(key)
        return weakness === undefined
          ? undefined
          : problem(
              `The key ${id} of SECRETS_KEYS ${weakness}.`,
              'Make one with openssl rand -base64 32, and rotate to it (docs/operating.md, Rotate the keys of secrets).',
            )
      }),
      passed.length > 0
        ? advice(
            `These services get the tokens of callers (token: pass): ${passed.join(', ')}.`,
            'Use token: assert or token: exchange, unless you trust them as much as the console.',
          )
        : undefined,
    ],
    secretsKeys.length === 1
      ? 'the key of SECRETS_KEYS looks random'
      : `the ${secretsKeys.length} keys of SECRETS_KEYS look random`,
  )
}

function findWeakness(key: Buffer): string | undefined {
  if (key.every((byte) => byte >= 0x20 && byte < 0x7f)) return 'is readable text, so that it can be guessed'
  if (new Set(key).size < FEWEST_DIFFERENT_BYTES) return 'repeats bytes, so that it is not random'
  return undefined
}
