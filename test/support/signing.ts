import { generateKeyPairSync } from 'node:crypto'

export const CONSOLE_NAME = 'https://console.test'

/** A private key for SIGNING_KEYS. */
export function signingKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}

/** The environment of a console with services that have `token: assert`. */
export const signingEnvironment = (...keys: string[]) => ({
  PUBLIC_URL: CONSOLE_NAME,
  SIGNING_KEYS: (keys.length === 0 ? [signingKey()] : keys).join(''),
})
