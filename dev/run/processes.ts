import { readFileSync } from 'node:fs'
import { webClientId } from '../issuer/client.ts'
import { DEMOS } from '../services/catalogue.ts'
import { servicesFile } from '../services/services-file.ts'
import { type Child, startChild } from './child.ts'
import type { Lifetime } from './lifetime.ts'
import { type PortName, type Ports, portTaken } from './ports.ts'
import { type State, writeWhole } from './state.ts'
import { TOKEN_SECONDS } from './token.ts'

/** The Node processes of `npm run dev`, each started by a call. */
export interface Processes {
  urlOf: (name: PortName) => string
  startIssuer: () => Child
  /** The evolution service and the demonstration services. */
  startServices: () => Child
  startConsole: (databaseUrl: string, natsUrl: string, redisUrl: string | undefined) => Child
}

interface ProcessOptions {
  environment: NodeJS.ProcessEnv
  ports: Ports
  host: string
  state: State
  lifetime: Lifetime
}

const AUDIENCE = 'agent-console'

export function createProcesses({ environment, ports, host, state, lifetime }: ProcessOptions): Processes {
  const urlOf = (name: PortName) => `http://127.0.0.1:${ports[name]}`
  const auth = { AUTH_ISSUER: urlOf('ISSUER_PORT'), AUTH_AUDIENCE: AUDIENCE }
  const portVariables = Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]))

  const start = (name: string, script: string, ready: RegExp, variables: NodeJS.ProcessEnv): Child => {
    const child = startChild(
      {
        ...{ name, ready, command: process.execPath, isNode: true },
        args: ['--import', './dev/run/end-with-parent.js', script],
        environment: {
          PATH: environment['PATH'],
          TMPDIR: environment['TMPDIR'],
          NODE_COMPILE_CACHE: environment['NODE_COMPILE_CACHE'] ?? state.file('cache'),
          ...portVariables,
          ...variables,
        },
      },
      lifetime,
      state.logs,
    )
    const isReady = child.ready.catch((error: Error) => {
      throw portTakenSince(ports, child.output()) ?? error
    })
    isReady.catch(() => {})
    return { ...child, ready: isReady }
  }

  return {
    urlOf,
    startIssuer: () =>
      start('issuer', 'dev/issuer/main.ts', /issuer listening/, {
        ISSUER_AUDIENCE: AUDIENCE,
        ISSUER_TOKEN_SECONDS: String(TOKEN_SECONDS),
        ISSUER_KEY_FILE: state.file('issuer-key.json'),
        ISSUER_ADMINISTRATOR_FILE: state.file('identity.json'),
        ISSUER_CONSOLE_URLS: `${urlOf('PORT')},http://localhost:${ports.PORT}`,
      }),
    startServices: () =>
      start('services', 'dev/services/main.ts', /services listening/, {
        ...auth,
        CONSOLE_URL: urlOf('PORT'),
        FLEET_FILE: state.file('fleet.json'),
        REPORTS_FOLDER: state.file('reports'),
      }),
    startConsole: (databaseUrl, natsUrl, redisUrl) => {
      const mounts = servicesFile((name) => urlOf(DEMOS[name].portVariable))
      writeWhole(state.file('services.json'), mounts)
      const ofPostgres = Object.entries(environment).filter(([name]) => name.startsWith('PG'))
      return start('console', 'src/main.ts', /Server listening at/, {
        ...Object.fromEntries(ofPostgres),
        ...auth,
        HOST: host,
        DATABASE_URL: databaseUrl,
        EVOLUTION_URL: urlOf('EVOLUTION_PORT'),
        NATS_URL: natsUrl,
        REDIS_URL: redisUrl,
        REDIS_PREFIX: environment['REDIS_PREFIX'],
        NATS_STREAM: environment['NATS_STREAM'],
        LOG_LEVEL: environment['LOG_LEVEL'],
        WEB_CLIENT_ID: webClientId,
        WEB_FOLDER: environment['WEB_FOLDER'],
        SERVICES_FILE: state.file('services.json'),
        PUBLIC_URL: urlOf('PORT'),
        SIGNING_KEYS: readFileSync(state.file('signing-key.pem'), 'utf8'),
        SECRETS_KEYS: state.identity.secretsKeys,
        SHUTDOWN_DELAY_MS: '0',
        SHUTDOWN_TIMEOUT_MS: '1000',
      })
    },
  }
}

/** A port was free when it was checked, and another program had taken it when the child came to listen. */
function portTakenSince(ports: Ports, output: string): Error | undefined {
  const [, port] = /EADDRINUSE[^\n]*?:(\d+)/.exec(output) ?? []
  const variable = (Object.keys(ports) as PortName[]).find((name) => String(ports[name]) === port)
  return variable && portTaken(ports, variable)
}
