import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { migrate } from '../scripts/migrate.ts'
import { commandsToTry } from './commands.ts'
import { seedFleet } from './fleet.ts'
import { requestToken } from './issuer/token.ts'
import { seedEvaluation, waitForServices } from './mounted.ts'
import { findNats } from './nats.ts'
import { findDatabase } from './postgres.ts'
import { type Service, startService } from './service.ts'
import { writeServicesFile } from './services/services-file.ts'
import { step } from './step.ts'

/** Everything the console needs, on one machine, until Ctrl-C. */

const AUDIENCE = 'agent-console'
const {
  DATABASE_URL,
  NATS_URL,
  NATS_STREAM,
  NATS_SUBJECT_PREFIX,
  HOST: host = '127.0.0.1',
  PORT: port = '8080',
  METRICS_PORT: metricsPort = '9464',
  ISSUER_PORT: issuerPort = '8081',
  EVOLUTION_PORT: evolutionPort = '8082',
  TEAMS_PORT: teamsPort = '8083',
  EVALUATION_PORT: evaluationPort = '8084',
  PROTECTION_PORT: protectionPort = '8085',
} = process.env
const apiUrl = `http://127.0.0.1:${port}`
const issuerUrl = `http://127.0.0.1:${issuerPort}`
const evolutionUrl = `http://127.0.0.1:${evolutionPort}`
const demos = {
  teams: { port: teamsPort, url: `http://127.0.0.1:${teamsPort}` },
  evaluation: { port: evaluationPort, url: `http://127.0.0.1:${evaluationPort}` },
  protection: { port: protectionPort, url: `http://127.0.0.1:${protectionPort}` },
}

/** What has been started, newest last. */
const started: { stop: () => Promise<void> }[] = []
let isEnding = false

async function start(): Promise<Promise<never>[]> {
  const database = await step('PostgreSQL', () => findDatabase(DATABASE_URL))
  started.push({ stop: database.close })
  await step(`migrations, on ${database.where}`, () => migrate(database.url, () => {}))
  const nats = await step('NATS', () => findNats(NATS_URL))
  started.push({ stop: nats.close })

  const needed: Promise<never>[] = []
  const add = async (what: string, ...service: Parameters<typeof startService>): Promise<Service> => {
    const added = await step(what, () => startService(...service))
    started.push(added)
    return added
  }
  const addNeeded = async (...service: Parameters<typeof add>) => {
    needed.push((await add(...service)).ended)
  }
  const auth = { AUTH_ISSUER: issuerUrl, AUTH_AUDIENCE: AUDIENCE }
  await addNeeded(
    `issuer, on ${issuerUrl}`,
    'dev/issuer/main.ts',
    { ISSUER_PORT: issuerPort, ISSUER_AUDIENCE: AUDIENCE, ISSUER_TOKEN_SECONDS: '43200' },
    `${issuerUrl}/.well-known/openid-configuration`,
  )
  await addNeeded(
    `evolution service, on ${evolutionUrl}`,
    'dev/evolution-service/main.ts',
    { ...auth, EVOLUTION_PORT: evolutionPort },
    `${evolutionUrl}/`,
  )
  for (const [name, demo] of Object.entries(demos)) {
    const { ended } = await add(
      `${name} service, on ${demo.url}`,
      'dev/services/main.ts',
      { ...auth, SERVICE_PORT: demo.port },
      `${demo.url}/openapi.json`,
      { args: [name] },
    )
    // Whoever ends one by hand wants to see what the console does then.
    ended.catch(({ message }: Error) => {
      if (!isEnding) process.stderr.write(`\n${message}\nThe console goes on without it.\n`)
    })
  }
  const servicesFile = await writeServicesFile(demos)
  started.push({ stop: servicesFile.remove })
  await addNeeded(
    `console, on ${apiUrl}`,
    'src/main.ts',
    {
      ...auth,
      HOST: host,
      PORT: port,
      METRICS_PORT: metricsPort,
      DATABASE_URL: database.url,
      EVOLUTION_URL: evolutionUrl,
      NATS_URL: nats.url,
      ...(NATS_STREAM && { NATS_STREAM }),
      ...(NATS_SUBJECT_PREFIX && { NATS_SUBJECT_PREFIX }),
      SERVICES_FILE: servicesFile.path,
      // The demo fleet is made anew at each start, in a team of its own: no older secret has to open.
      SECRETS_KEYS: `dev:${randomBytes(32).toString('base64')}`,
      SHUTDOWN_DELAY_MS: '0',
    },
    `${apiUrl}/health/live`,
  )
  const token = await step('a token', () =>
    requestToken(issuerUrl, { user: randomUUID(), team: randomUUID() }),
  )
  const agentId = await step('a demo fleet', () => seedFleet(apiUrl, token))
  await step('the services, mounted', () => waitForServices(apiUrl))
  const evaluationId = await step('a demo evaluation', () => seedEvaluation(apiUrl, token, agentId))

  const tries = commandsToTry(apiUrl, token, { agentId, evaluationId }).map(
    ({ title, command }) => `# ${title}\n${command}\n`,
  )
  process.stdout.write(
    `\nThe console runs. The reference is at ${apiUrl}/docs. To try it, paste:\n\n${tries.join('\n')}\n` +
      'The token lasts twelve hours. Ctrl-C ends everything.\n',
  )
  return needed
}

const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
process.stdout.write('Starting Agent Console for development\n')
try {
  await Promise.race([start().then((ended) => Promise.race([interrupted, ...ended])), interrupted])
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`)
  process.exitCode = 1
}
isEnding = true
process.stdout.write('\nEnding\n')
for (const { stop } of started.toReversed()) await stop()
