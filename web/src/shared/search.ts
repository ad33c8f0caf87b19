/** Search parameters of an address: a name that occurs once is a text, more often a list. */
export type Search = Record<string, string | string[] | undefined>

/** Repeated names as the API has them; the router would write JSON. */
export function parseSearch(text: string): Search {
  const search: Search = {}
  for (const [name, value] of new URLSearchParams(text)) {
    const present = search[name]
    search[name] = present === undefined ? value : [...listOf(present), value]
  }
  return search
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const each of listOf(value)) params.append(name, each)
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  return (Array.isArray(value) ? value : [value]).map(String)
}
