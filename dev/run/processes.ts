import { readFileSync } from 'node:fs'
import { webClientId } from '../issuer/client.ts'
import { DEMOS } from '../services/catalogue.ts'
import { servicesFile } from '../services/services-file.ts'
import { type Child, startChild } from './child.ts'
import type { Lifetime } from './lifetime.ts'
import type { PortName, Ports } from './ports.ts'
import { type State, writeWhole } from './state.ts'
import { TOKEN_SECONDS } from './token.ts'

/** What the Node processes of `npm run dev` need. */
export interface ProcessOptions {
  environment: NodeJS.ProcessEnv
  ports: Ports
  host: string
  state: State
  lifetime: Lifetime
}

const AUDIENCE = 'agent-console'

export const urlOf = (ports: Ports, name: PortName): string => `http://127.0.0.1:${ports[name]}`

export function startIssuer(options: ProcessOptions): Child {
  const { ports, state } = options
  return start(options, 'issuer', 'dev/issuer/main.ts', /issuer listening/, {
    ISSUER_AUDIENCE: AUDIENCE,
    ISSUER_TOKEN_SECONDS: String(TOKEN_SECONDS),
    ISSUER_KEY_FILE: state.file('issuer-key.json'),
    ISSUER_ADMINISTRATOR_FILE: state.file('identity.json'),
    ISSUER_CONSOLE_URLS: `${urlOf(ports, 'PORT')},http://localhost:${ports.PORT}`,
  })
}

/** The evolution service and the demonstration services. */
export function startServices(options: ProcessOptions): Child {
  const { ports, state } = options
  return start(options, 'services', 'dev/services/main.ts', /services listening/, {
    AUTH_ISSUER: urlOf(ports, 'ISSUER_PORT'),
    AUTH_AUDIENCE: AUDIENCE,
    CONSOLE_URL: urlOf(ports, 'PORT'),
    FLEET_FILE: state.file('fleet.json'),
    REPORTS_FOLDER: state.file('reports'),
  })
}

/** `servers`: the URLs of the servers that the console uses. */
export function startConsole(options: ProcessOptions, servers: Record<string, string | undefined>): Child {
  const { environment, ports, host, state } = options
  const mounts = servicesFile((name) => urlOf(ports, DEMOS[name].portVariable))
  writeWhole(state.file('services.json'), mounts)
  const ofPostgres = Object.entries(environment).filter(([name]) => name.startsWith('PG'))
  return start(options, 'console', 'src/main.ts', /Server listening at/, {
    ...Object.fromEntries(ofPostgres),
    AUTH_ISSUER: urlOf(ports, 'ISSUER_PORT'),
    AUTH_AUDIENCE: AUDIENCE,
    HOST: host,
    ...servers,
    EVOLUTION_URL: urlOf(ports, 'EVOLUTION_PORT'),
    REDIS_PREFIX: environment['REDIS_PREFIX'],
    NATS_STREAM: environment['NATS_STREAM'],
    LOG_LEVEL: environment['LOG_LEVEL'],
    WEB_CLIENT_ID: webClientId,
    WEB_FOLDER: environment['WEB_FOLDER'],
    SERVICES_FILE: state.file('services.json'),
    PUBLIC_URL: urlOf(ports, 'PORT'),
    SIGNING_KEYS: readFileSync(state.file('signing-key.pem'), 'utf8'),
    SECRETS_KEYS: state.identity.secretsKeys,
    SHUTDOWN_DELAY_MS: '0',
    SHUTDOWN_TIMEOUT_MS: '1000',
  })
}

function start(
  { environment, ports, state, lifetime }: ProcessOptions,
  name: string,
  script: string,
  ready: RegExp,
  variables: NodeJS.ProcessEnv,
): Child {
  const portVariables = Object.entries(ports).map(([variable, port]) => [variable, String(port)])
  const child = {
    name,
    ready,
    command: process.execPath,
    args: ['--import', './dev/run/end-with-parent.js', script],
    isNode: true,
    environment: {
      PATH: environment['PATH'],
      TMPDIR: environment['TMPDIR'],
      NODE_COMPILE_CACHE: environment['NODE_COMPILE_CACHE'] ?? state.file('cache'),
      ...Object.fromEntries(portVariables),
      ...variables,
    },
  }
  return startChild(child, lifetime, state.logs)
}
