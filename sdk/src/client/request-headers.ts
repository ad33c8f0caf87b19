import { ConsoleError } from '../errors.ts'
import { VERSION } from '../version.ts'

const TOKEN = /^[\x21-\x7e]+$/

/** Checked here, because the message of fetch about an invalid header contains the header. */
export function bearer(token: unknown): string {
  if (typeof token !== 'string' || !TOKEN.test(token))
    throw new ConsoleError('The token is not a bearer token')
  return `Bearer ${token}`
}

/** Undefined in a browser, which does not let a program set it without a preflight request. */
export function userAgentHeader(prefix: string | undefined): string | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  const node = process?.versions?.node
  return node && `${prefix ? `${prefix} ` : ''}agent-console-sdk/${VERSION} node/${node}`
}

/** 32 hexadecimal digits. `crypto.randomUUID` does not exist on pages that are not served over HTTPS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
