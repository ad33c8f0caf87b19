import { parseUrl } from '../settings/parsers.ts'

/** One server, or the servers of a cluster separated by commas. */
export function parseNatsUrl(text: string): string {
  for (const one of text.split(',')) parseUrl(one.trim(), ['nats:', 'tls:'])
  return text
}

export function parseNatsName(text: string): string {
  if (!/^[\w-]{1,64}$/.test(text)) throw new Error('may only contain letters, digits, _ and -')
  return text
}

export function parseNatsSubject(text: string): string {
  if (!/^[\w-]+(?:\.[\w-]+)*$/.test(text))
    throw new Error('must be words of letters, digits, _ and -, separated by dots')
  return text
}

export const hasUserInfo = (urls: string) =>
  urls.split(',').some((url) => new URL(url.trim()).username !== '')
