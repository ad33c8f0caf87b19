import { OutboundError } from './error.ts'

export interface UrlPolicy {
  /** In addition to 443 and 80. */
  allowedPorts?: readonly number[]
  allowsHttp?: boolean
}

/** Returns what parses a URL, or a redirect from one, and throws an OutboundError if it may not be fetched. */
export function createUrlCheck({ allowedPorts = [], allowsHttp = false }: UrlPolicy) {
  const ports = new Set(['', '443', '80', ...allowedPorts.map(String)])
  const protocols = allowsHttp ? ['https:', 'http:'] : ['https:']

  const findFault = (url: URL | null): string | undefined => {
    if (!url) return 'The URL is not valid.'
    if (!protocols.includes(url.protocol))
      return `The URL must start with ${protocols.map((name) => `${name}//`).join(' or ')}.`
    if (url.username !== '' || url.password !== '') return 'The URL must not have a user name or a password.'
    return ports.has(url.port) ? undefined : 'The port of the URL is not allowed.'
  }

  return (text: string, from?: URL): URL => {
    const url = URL.parse(text, from?.href)
    const fault = findFault(url)
    if (!url || fault !== undefined) {
      const place = from ? `a redirect from ${from.origin}` : 'the URL'
      throw new OutboundError('invalid_url', fault ?? '', `${fault} It is ${place}.`)
    }
    url.hash = ''
    return url
  }
}
