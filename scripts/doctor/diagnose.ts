import type { Client } from 'pg'
import { type Config, readConfig } from '../../src/config/config.ts'
import type { Environment } from '../../src/config/reader.ts'
import { ConfigInvalid } from '../../src/platform/process.ts'
import { checkAuditPartitions } from './audit-partitions.ts'
import { checkCertificates } from './certificates.ts'
import { checkServer, createClient, explainConnection } from './database.ts'
import { checkDelivery } from './delivery.ts'
import { checkEncryption } from './encryption.ts'
import { type Context, type Finding, ok, problem, type Result, skipped } from './finding.ts'
import { checkFreeConnections } from './free-connections.ts'
import { checkIssuer } from './issuer.ts'
import { checkKeys } from './keys.ts'
import { checkMachine } from './machine.ts'
import { checkNats } from './nats.ts'
import { checkPooler } from './pooler.ts'
import { checkRedis } from './redis.ts'
import { checkRevocations } from './revocations.ts'
import { checkGrants, checkRole } from './role.ts'
import { checkSchema } from './schema.ts'
import { checkStoredSecrets } from './stored-secrets.ts'
import { checkUpstreams } from './upstreams.ts'

type Check = (context: Context) => Result[] | Promise<Result[]>
type DatabaseCheck = (client: Client, context: Context) => Promise<Result[]>

const LOCAL_CHECKS: Record<string, Check> = {
  machine: checkMachine,
  encryption: checkEncryption,
  keys: checkKeys,
}

const DATABASE_CHECKS: Record<string, DatabaseCheck> = {
  database: checkServer,
  schema: checkSchema,
  role: checkRole,
  grants: checkGrants,
  'free connections': checkFreeConnections,
  pooler: checkPooler,
  'stored secrets': checkStoredSecrets,
  'audit partitions': checkAuditPartitions,
  delivery: checkDelivery,
}

const NETWORK_CHECKS: Record<string, Check> = {
  certificates: checkCertificates,
  issuer: checkIssuer,
  revocations: checkRevocations,
  NATS: checkNats,
  Redis: checkRedis,
  upstreams: checkUpstreams,
}

/** Checks a deployment by the environment of its processes. Changes nothing. */
export async function diagnose(environment: Environment, now: () => number): Promise<Finding[]> {
  const config = tryReadConfig(environment)
  if (Array.isArray(config)) return named('configuration', config)
  const context = { config, now }
  return [
    ...named('configuration', [ok('the variables are complete and valid')]),
    ...(await runAll(LOCAL_CHECKS, (check) => check(context))),
    ...(await checkDatabase(context)),
    ...(await runAll(NETWORK_CHECKS, (check) => check(context))),
  ]
}

/** The errors, if there are any: all other checks need a valid configuration. */
function tryReadConfig(environment: Environment): Config | Result[] {
  try {
    return readConfig(environment)
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    return error.errors.map((text) =>
      problem(`${text}.`, 'Correct the variable (docs/operating.md, Configuration), then run this again.'),
    )
  }
}

async function checkDatabase(context: Context): Promise<Finding[]> {
  const client = createClient(context.config.databaseUrl)
  try {
    await client.connect()
  } catch (error) {
    const [first, ...others] = Object.keys(DATABASE_CHECKS)
    return [
      ...named(first ?? '', [explainConnection(error as Error)]),
      ...others.flatMap((name) => named(name, [skipped('needs the database')])),
    ]
  }
  try {
    return await runAll(DATABASE_CHECKS, (check) => check(client, context))
  } finally {
    await client.end()
  }
}

/** One after the other: they share a connection, and the report has their order. */
async function runAll<Each>(
  checks: Record<string, Each>,
  run: (check: Each) => Result[] | Promise<Result[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, check] of Object.entries(checks)) {
    try {
      findings.push(...named(name, await run(check)))
    } catch (error) {
      findings.push(...named(name, [explainFailure(error as Error)]))
    }
  }
  return findings
}

/** SQLSTATE of a table that is missing and of a right that is missing. The checks of schema and grants report both. */
const REPORTED_ELSEWHERE = new Set(['42P01', '42501'])

function explainFailure({ message, code = '' }: Error & { code?: string }): Result {
  return REPORTED_ELSEWHERE.has(code)
    ? skipped(`not checked: ${message}`)
    : problem(
        `Could not be checked: ${message}.`,
        'Run it again; if it stays, look into the log of the server.',
      )
}

function named(check: string, results: readonly Result[]): Finding[] {
  return results.map((result) => ({ check, ...result }))
}
