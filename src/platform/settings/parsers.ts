/** Parsers of variables. Their errors continue a sentence that begins with the name of the variable. */

export const parseText = (text: string) => text

export function parseInteger(text: string, min: number, max: number): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
  return value
}

export const parsePort = (text: string) => parseInteger(text, 0, 65_535)

export function parseUrl(text: string, protocols: string[]): string {
  if (!URL.canParse(text) || !protocols.includes(new URL(text).protocol)) {
    throw new Error(`must be a URL that starts with ${protocols.map((name) => `${name}//`).join(' or ')}`)
  }
  return text
}

export const parseHttpUrl = (text: string) => parseUrl(text, ['https:', 'http:'])
export const parseDatabaseUrl = (text: string) => parseUrl(text, ['postgres:', 'postgresql:'])

/** Rejects the parts that a request to a path of this URL would not contain. */
export function parsePlainUrl(text: string): string {
  const { username, password, search, hash } = new URL(parseHttpUrl(text))
  if (username || password || search || hash) throw new Error('must have no credentials, query or fragment')
  return text
}

export function parseUri(text: string): string {
  if (!URL.canParse(text)) throw new Error('must be an absolute URI')
  return text
}

export function parseRatio(text: string): number {
  const value = Number(text)
  if (!/^\d+(?:\.\d+)?$/.test(text) || value > 1) throw new Error('must be a number from 0 to 1')
  return value
}

export function parseOneOf<Value extends string>(text: string, values: readonly Value[]): Value {
  if (!(values as readonly string[]).includes(text)) throw new Error(`must be one of ${values.join(', ')}`)
  return text as Value
}

export const parseSwitch = (text: string) => parseOneOf(text, ['on', 'off']) === 'on'
