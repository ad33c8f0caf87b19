import { isIP, isIPv4 } from 'node:net'
import { Agent, type Dispatcher, fetch, type Headers, type RequestInit } from 'undici'
import { toList } from './guard.ts'

export interface ConfiguredOptions extends Omit<SendOptions, 'dispatcher' | 'signal'> {
  timeoutMs: number
  signal?: AbortSignal
}

const connections = new Agent({ allowH2: false })

/** A request to a URL that the operator has configured, so that every address is allowed. A redirect is an error: it
 * leads to a URL that the operator has not named. */
export async function sendToConfigured(
  url: string,
  { timeoutMs, signal, ...options }: ConfiguredOptions,
): Promise<Received> {
  const deadline = AbortSignal.timeout(timeoutMs)
  const ends = signal ? AbortSignal.any([signal, deadline]) : deadline
  const received = await send(url, { ...options, dispatcher: connections, signal: ends })
  if (redirectOf(received) !== null) throw new Error(`${url} redirects to another URL`)
  return received
}

export interface SendOptions extends Pick<RequestInit, 'method' | 'body'> {
  headers?: Record<string, string>
  maxBytes: number
  signal: AbortSignal
  dispatcher: Dispatcher
}

export interface Received {
  status: number
  headers: Headers
  /** Undefined if it is larger than allowed. Empty for a redirect. */
  body: Buffer | undefined
}

/** One request, without redirects. Rejects with the error of `fetch`. */
export async function send(
  url: string | URL,
  { maxBytes, headers: own, ...options }: SendOptions,
): Promise<Received> {
  const headers = { ...own, 'accept-encoding': 'identity', 'user-agent': 'agent-console' }
  const response = await fetch(url, { ...options, headers, redirect: 'manual' })
  const { status } = response
  if (status >= 300 && status < 400) {
    await response.body?.cancel()
    return { status, headers: response.headers, body: Buffer.alloc(0) }
  }
  return { status, headers: response.headers, body: await readBody(response.body ?? [], maxBytes) }
}

const REDIRECTS = [301, 302, 303, 307, 308]

/** Where a redirect leads, or null if the response is none. */
export function redirectOf({ status, headers }: Received): string | null {
  return REDIRECTS.includes(status) ? headers.get('location') : null
}

/** A server may compress although it was asked not to: the limit is for the decompressed body. */
async function readBody(body: AsyncIterable<Uint8Array> | [], maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    // Leaving the loop cancels the rest.
    if (size > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The errors continue a sentence that begins with the name of the variable. */

const listOf = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** `10.0.0.0/8, fd12:3456::/32` */
export function parseCidrs(text: string): string[] {
  return listOf(text).map((entry) => {
    const [, network = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? []
    const [min, max] = isIPv4(network) ? [8, 32] : [7, 128]
    if (isIP(network) === 0 || Number(length) < min || Number(length) > max) {
      throw new Error(
        `must be ranges of addresses such as 10.1.0.0/16, at least /8 for IPv4 and /7 for IPv6; ${entry} is not`,
      )
    }
    // The range ::/8 would allow every IPv4 address too.
    if (!isIPv4(network) && toList([entry]).check('0.0.0.0')) {
      throw new Error(`must not have ${entry}: it contains the IPv4 addresses`)
    }
    return entry
  })
}

/** `agents.example.com, svc.cluster.local` */
export function parseHosts(text: string): string[] {
  return listOf(text).map((entry) => {
    // As a URL has it: in lower case and in ASCII. None ends in a number, since that would be an address.
    const host = URL.parse(`https://a.${entry}/`)?.hostname.slice(2)
    if (host === undefined || !/^[\p{L}\d_](?:[\p{L}\d_.-]*[\p{L}\d])?$/u.test(entry)) {
      throw new Error(`must be names of hosts such as agents.example.com; ${entry} is not`)
    }
    return host
  })
}

export function parsePorts(text: string): number[] {
  return listOf(text).map((entry) => {
    const port = Number(entry)
    if (!/^\d+$/.test(entry) || port < 1 || port > 65_535) {
      throw new Error(`must be ports from 1 to 65535; ${entry} is not`)
    }
    return port
  })
}
