/** What the console keeps for itself, routes to come included. */
export const CONSOLE_PREFIXES = [
  '/asyncapi.json',
  '/docs',
  '/health',
  '/metrics',
  '/openapi.json',
  '/v1/agent-configurations',
  '/v1/audit-events',
  '/v1/evolution',
  '/v1/genomes',
  '/v1/services',
]

interface Claimant {
  readonly name: string
  readonly prefixes: readonly string[]
}

/** A sentence for each two claims to the same path. Nobody can take a path of the console or of another. */
export function findClashes(services: readonly Claimant[]): string[] {
  const claims = services.flatMap(({ name, prefixes }) =>
    prefixes.map((prefix) => ({ owner: `the service ${name}`, prefix })),
  )
  const own = CONSOLE_PREFIXES.map((prefix) => ({ owner: 'the console', prefix }))
  return claims.flatMap((claim, index) =>
    [...own, ...claims.slice(0, index)]
      .filter(({ owner, prefix }) => owner !== claim.owner && overlaps(prefix, claim.prefix))
      .map(
        ({ owner, prefix }) =>
          `gives ${claim.prefix} to ${claim.owner}, which clashes with ${prefix} of ${owner}`,
      ),
  )
}

/** Whether a path lies under one of the prefixes. A parameter of the path lies only under a parameter: `/v1/{a}` is
 * more than `/v1/teams`. */
export function isClaimed(path: string, prefixes: readonly string[]): boolean {
  return prefixes.some((prefix) => {
    const segments = segmentsOf(path)
    return segmentsOf(prefix).every((segment, index) =>
      isParameter(segment) ? segments[index] !== undefined : segments[index] === segment,
    )
  })
}

/** Whether one covers the other or a path under it: a parameter may be any segment. */
function overlaps(a: string, b: string): boolean {
  const others = segmentsOf(b)
  return segmentsOf(a)
    .slice(0, others.length)
    .every((segment, index) => {
      const other = others[index] as string
      return segment === other || isParameter(segment) || isParameter(other)
    })
}

/** A trailing slash is the same path. */
function segmentsOf(path: string): string[] {
  return path.replace(/\/$/, '').split('/').slice(1)
}

function isParameter(segment: string): boolean {
  return segment.includes('{')
}
