import { type Client, escapeIdentifier } from 'pg'
import { FUNCTION_GRANTS, TABLE_GRANTS } from '../grants.ts'

export function grantStatements(role: string): string[] {
  const name = escapeIdentifier(role)
  return [
    ...Object.entries(TABLE_GRANTS).map(
      ([table, rights]) => `GRANT ${rights.join(', ')} ON ${table} TO ${name}`,
    ),
    `GRANT EXECUTE ON FUNCTION ${FUNCTION_GRANTS.join(', ')} TO ${name}`,
  ]
}

/** Grants the role that serves what this version needs, so that no replica meets a new table without its rights. */
export async function grantRole(client: Client, role: string): Promise<void> {
  // PostgreSQL fails one of two concurrent grants on the same table.
  const lock = "SELECT pg_advisory_xact_lock(hashtext('console grants'))"
  await client.query(['BEGIN', lock, ...grantStatements(role), 'COMMIT'].join('; '))
}
