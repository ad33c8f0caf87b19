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

/** 40 digits: a part with the highest bit has ten. `crypto.randomUUID` does not exist on pages that are not served over HTTPS. */
export function newId(): string {
  const parts = crypto.getRandomValues(new Uint32Array(4))
  return parts.map((part) => part | (1 << 31)).join('')
}
