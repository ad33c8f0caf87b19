import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The statements of the operating manual that grant a role what the console needs. */
export function documentedGrants(role = 'console'): string {
  const manual = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
  const grants = manual.match(/^GRANT .*;/gm)
  if (!grants) throw new Error('docs/operating.md has no grants')
  return grants.join('\n').replaceAll(' TO console;', ` TO ${role};`)
}
