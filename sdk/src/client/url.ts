import { ConsoleError } from '../errors.ts'

export type QueryValue = string | number | boolean | null | undefined | readonly (string | number | boolean)[]

/** Checks an address before fetch does: its messages contain the address with the password. */
export function readBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new ConsoleError('baseUrl is not an http URL without a password')
  }
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/** Puts the values into the braces of a path of the OpenAPI document. */
export function expandPath(template: string, values: object = {}): string {
  const given = values as Record<string, string | number | undefined>
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(given[name] ?? '')
    // fetch would resolve these, and an empty value, to another path.
    if (/^\.{0,2}$/.test(value)) throw new ConsoleError(`The path has no ${name}`)
    return encodeURIComponent(value)
  })
}

/** A list is repeated: `statuses=draft&statuses=active`. */
export function queryString(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]: [string, QueryValue]) =>
    [value ?? []].flat().map((item): [string, string] => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
