/**
 * Keys of the query cache. All that belongs to one agent begins with its `one` key, so that an event
 * about the agent invalidates it with one call.
 */
export const keys = {
  me: ['me'],
  agents: ['agents'],
  lists: ['agents', 'list'],
  list: (query: object) => ['agents', 'list', query],
  allFacets: ['agents', 'facets'],
  facets: (query: object) => ['agents', 'facets', query],
  one: (id: string) => ['agents', 'one', id],
  revisions: (id: string) => ['agents', 'one', id, 'revisions'],
  lastRevision: (id: string) => ['agents', 'one', id, 'last-revision'],
  revision: (id: string, revision: number) => ['agents', 'one', id, 'revisions', revision],
  evaluations: (id: string) => ['agents', 'one', id, 'evaluations'],
  delegation: (id: string, depth: number) => ['agents', 'one', id, 'delegation', depth],
  dependents: (id: string) => ['agents', 'one', id, 'dependents'],
  secretNames: (id: string) => ['agents', 'one', id, 'secret-names'],
  evolution: (id: string) => ['agents', 'one', id, 'evolution'],
  user: (id: string) => ['users', id],
  views: ['views'],
  services: ['services'],
  audit: (query: object) => ['audit', query],
} as const
