import { parseUrl } from '../settings/parsers.ts'

/** One server, or the servers of a cluster separated by commas. */
export function parseNatsUrl(text: string): string {
  for (const one of text.split(',')) parseUrl(one.trim(), ['nats:', 'tls:'])
  return text
}

export function parseNatsName(text: string): string {
  if (!/^[a-z\d-]+(?:_[a-z\d-]+)*$/i.test(text) || text.length > 64)
    throw new Error('must be at most 64 letters, digits and -, with single _ between them')
  return text
}

export const hasUserInfo = (urls: string) =>
  urls.split(',').some((url) => new URL(url.trim()).username !== '')
