import type { Agent } from '../../contract/agent.ts'
import { PermissionMissing } from '../../contract/problem.ts'
import type { Caller } from '../../platform/identity/identity.ts'
import type { StoredAgent } from '../change-agent.ts'
import type { Columns } from '../change-statement.ts'
import type { SecretChanges } from './secret-change.ts'

/** Which secrets the services send to which URL. */
const DESTINATIONS = [
  { secret: 'api_key', column: 'agent_url', urlOf: ({ agent_url: url }: Partial<Agent>) => url },
  {
    secret: 'github_token',
    column: 'white_box_config',
    urlOf: ({ white_box_config: config }: Partial<Agent>) => config?.repo_url,
  },
] as const

/** A client without the permission to read a secret must not have it sent to a server of its choice: it may move
 * the URL to another origin only together with the secret. `changes` is absent for a restore, which keeps the
 * secrets. */
export function requireSecretForNewOrigin(
  caller: Caller,
  { agent, fingerprints }: StoredAgent,
  columns: Columns,
  changes?: SecretChanges,
): void {
  if (caller.permissions.has('agent:secret')) return
  for (const { secret, column, urlOf } of DESTINATIONS) {
    const action = changes?.[secret].action
    const isKept = fingerprints[secret] !== null && action !== 'set' && action !== 'clear'
    if (!isKept || !(column in columns)) continue
    const url = urlOf(columns)
    if (url != null && originOf(url) !== originOf(urlOf(agent))) {
      throw new PermissionMissing('agent:secret', {
        detail:
          `The URL in ${column} would move to another origin, and the stored ${secret} would be sent there. Send ` +
          `the ${secret} ` +
          'again in the same request, or use a token with the permission agent:secret.',
      })
    }
  }
}

/** Programs read these in different ways: a browser takes `\\` for `/` and leaves out line breaks. */
// oxlint-disable-next-line no-control-regex -- the characters that browsers ignore
const AMBIGUOUS = /[\0- \\]/

/** Of a text that is no URL, or not the same URL to all programs, the whole text. */
function originOf(url: string | null | undefined): string | null {
  if (url == null || AMBIGUOUS.test(url)) return url ?? null
  const { protocol, host } = URL.parse(url) ?? {}
  return host ? `${protocol}//${host}` : url
}
