import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { closeNats, parseServers, toConnectionOptions } from '../../src/platform/nats/nats.ts'
import { advice, type Context, orOk, problem, type Result, skipped } from './finding.ts'

const OLDEST_VERSION = [2, 9] as const
const TIMEOUT_MS = 5_000

/** Reachability, version, JetStream and the copies of the stream. */
export async function checkNats({ config: { events } }: Context): Promise<Result[]> {
  if (!events) return [skipped('NATS_URL is not set')]
  let connection: NatsConnection
  try {
    connection = await connect({
      ...parseServers(events.natsUrl),
      ...toConnectionOptions(events.natsLogin ?? {}),
      ...{ name: 'agent-console doctor', timeout: TIMEOUT_MS, reconnect: false },
    })
  } catch (error) {
    return [
      problem(
        `NATS cannot be used: ${(error as Error).message}.`,
        'Check NATS_URL, its login (NATS_CREDENTIALS, NATS_NKEY) and the certificates (NATS_TLS_CA).',
      ),
    ]
  }
  try {
    return await inspect(connection, events.stream)
  } finally {
    await closeNats(connection)
  }
}

async function inspect(
  connection: NatsConnection,
  { name, replicas, maxBytes }: { name: string; replicas: number; maxBytes: number },
): Promise<Result[]> {
  const { version = '0.0', cluster } = connection.info ?? {}
  const results = [
    isOld(version) ? problem(`NATS is ${version}.`, 'Upgrade it to version 2.9 or newer.') : undefined,
  ]
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: TIMEOUT_MS })
  const account = await manager.getAccountInfo().catch((error: Error) => error)
  if (account instanceof Error)
    return orOk(
      [
        ...results,
        problem(
          `JetStream cannot be used: ${account.message}.`,
          'Start nats-server with --jetstream, and enable JetStream for the account of the console.',
        ),
      ],
      '',
    )
  const stored = await manager.streams.info(name).catch(() => undefined)
  const { max_storage: maxStorage } = account.limits
  const storageNeeded = maxBytes - (stored?.config.max_bytes ?? 0)
  return orOk(
    [
      ...results,
      checkReplicas(replicas, cluster !== undefined),
      maxStorage > 0 && maxStorage - account.storage < storageNeeded
        ? problem(
            `JetStream allows the account ${maxStorage} bytes, less than EVENTS_MAX_BYTES.`,
            'Raise max_file_store or the limit of the account, or lower EVENTS_MAX_BYTES.',
          )
        : undefined,
    ],
    `NATS ${version}, stream ${name} with ${replicas === 1 ? '1 copy' : `${replicas} copies`}`,
  )
}

function checkReplicas(replicas: number, isCluster: boolean): Result | undefined {
  if (isCluster && replicas === 1)
    return problem(
      'NATS is a cluster, but the stream has one copy: the loss of its server loses events.',
      'Set NATS_REPLICAS=3.',
    )
  if (!isCluster && replicas > 1)
    return problem(
      `NATS_REPLICAS=${replicas}, but NATS is a single server: the stream cannot be made.`,
      'Set NATS_REPLICAS=1, or use a cluster of three servers.',
    )
  return isCluster
    ? undefined
    : advice('NATS is a single server.', 'Use a cluster of three with NATS_REPLICAS=3.')
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor, oldestMinor] = OLDEST_VERSION
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
