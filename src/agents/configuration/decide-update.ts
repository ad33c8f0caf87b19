import type { Caller } from '../../platform/identity/identity.ts'
import type { Change, StoredAgent } from '../change-agent.ts'
import type { ColumnValues } from '../columns.ts'
import { changedColumns, describeColumns } from '../compare.ts'
import { inspect, refuseFaults } from '../secrets/inspect.ts'
import { requireSecretForNewOrigin } from '../secrets/new-origin.ts'
import { changedSecret, type SecretChanges } from '../secrets/secret-change.ts'

/** Undefined when the update changes nothing. */
export function decideUpdate(
  caller: Caller,
  stored: StoredAgent,
  values: ColumnValues,
  changes: SecretChanges,
): Change | undefined {
  const columns = changedColumns(stored.agent, values)
  const findings = inspect(columns)
  refuseFaults(findings, stored.namedSecrets)
  requireSecretForNewOrigin(caller, stored, columns, changes)
  const token = changedSecret('github_token', changes.github_token, stored)
  const apiKey = changedSecret('api_key', changes.api_key, stored)
  // `white_box_config` includes the token: a new token is a change of the field.
  if (Object.keys(token).length > 0) columns['white_box_config'] = values.white_box_config
  const { fields, before } = describeColumns(stored, columns)
  if (Object.keys(apiKey).length > 0) {
    fields.push('api_key')
    before['api_key_mask'] = stored.agent.api_key ?? null
    before['api_key_revision'] = stored.secretRevisions.api_key
  }
  if (fields.length === 0) return undefined
  return {
    action: 'updated',
    fields,
    before,
    columns: { ...columns, ...token, ...apiKey },
    credentialWarnings: findings.warnings,
  }
}
