import type { ServiceEntry } from '../../contract/services-file.ts'

/** Prefixes that no service may own: the paths of the console, and `/console` and `/metrics`, which are reserved. */
export const CONSOLE_PREFIXES = [
  '/.well-known',
  '/asyncapi.json',
  '/console',
  '/docs',
  '/health',
  '/mcp',
  '/metrics',
  '/openapi.json',
  '/v1/agent-configurations',
  '/v1/agent-imports',
  '/v1/audit-events',
  '/v1/configuration-sets',
  '/v1/evolution',
  '/v1/genomes',
  '/v1/me',
  '/v1/services',
  '/v1/users',
  '/v1/views',
]

/** A sentence for each pair of prefixes that cover the same path and belong to different owners. */
export function findPrefixConflicts(services: readonly Pick<ServiceEntry, 'name' | 'prefixes'>[]): string[] {
  const given = services.flatMap(({ name, prefixes }) =>
    prefixes.map((prefix) => ({ owner: `the service ${name}`, prefix })),
  )
  const own = CONSOLE_PREFIXES.map((prefix) => ({ owner: 'the console', prefix }))
  return given.flatMap((one, index) =>
    [...own, ...given.slice(0, index)]
      .filter(({ owner, prefix }) => owner !== one.owner && overlaps(prefix, one.prefix))
      .map(
        ({ owner, prefix }) =>
          `gives ${one.prefix} to ${one.owner}, which clashes with ${prefix} of ${owner}`,
      ),
  )
}

/** Whether a path lies under one of the prefixes. A path parameter matches only a prefix parameter: `/v1/{a}` is
 * not under `/v1/teams`. */
export function isUnderPrefix(path: string, prefixes: readonly string[]): boolean {
  const segments = pathSegments(path)
  const matches = (segment: string, index: number) =>
    isParameter(segment) ? segments[index] !== undefined : segments[index] === segment
  return prefixes.some((prefix) => pathSegments(prefix).every(matches))
}

/** Whether some path lies under both: a parameter may be any segment. */
function overlaps(a: string, b: string): boolean {
  const others = pathSegments(b)
  return pathSegments(a)
    .slice(0, others.length)
    .every((segment, index) => {
      const other = others[index] as string
      return segment === other || isParameter(segment) || isParameter(other)
    })
}

const pathSegments = (path: string) => path.replace(/\/$/, '').split('/').slice(1)
const isParameter = (segment: string) => segment.includes('{')
