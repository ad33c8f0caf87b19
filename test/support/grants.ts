import { RETENTION_GRANTS } from '../../scripts/grants.ts'
import { grantStatements } from '../../scripts/migrate/grant.ts'

/** The statements that grant a role everything that the console can use, one in each line. */
export function allGrants(role = 'console'): string {
  const retention = `GRANT EXECUTE ON FUNCTION ${RETENTION_GRANTS.join(', ')} TO ${role}`
  return [...grantStatements(role), retention].map((statement) => `${statement};`).join('\n')
}
