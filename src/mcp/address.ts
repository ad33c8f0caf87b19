import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'

interface AddressHeaders {
  host?: string | undefined
  origin?: string | undefined
}

/** Protects users whose browser is led to the console by another name (DNS rebinding): the console answers at its public URL and on
 * the own machine, and web pages of other origins get nothing. Returns why a request is refused. */
export function createAddressCheck(publicUrl: string | undefined) {
  const publicHosts = publicUrl === undefined ? [] : [new URL(publicUrl).hostname]
  const loopback = localhostAllowedHostnames()
  return ({ host, origin }: AddressHeaders): string | undefined => {
    const isLocal = validateHostHeader(host, loopback).ok
    if (!isLocal && !validateHostHeader(host, publicHosts).ok) {
      return 'The Host header is not that of the console. The operator can set PUBLIC_URL.'
    }
    // A page on the user's own machine may call a console there, and no other one.
    const isKnown = validateOriginHeader(origin, isLocal ? [...publicHosts, ...loopback] : publicHosts).ok
    return isKnown ? undefined : 'The Origin header is not that of the console.'
  }
}
