import type { Search } from '../shared/search.ts'

/** What the address of this page may hold. */
export function fleetSearch(raw: Search): Search {
  return raw
}
