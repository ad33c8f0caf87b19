// The evolution service and the demonstration services, in one process, each on its own port (TEAMS_PORT and so on).

import { once } from 'node:events'
import { fleetOfFile } from '../story/fleet.ts'
import { DEMO_NAMES, DEMOS } from './catalogue.ts'
import { startEvolution } from './evolution/service.ts'
import { startDemoService } from './server.ts'

// Before anything is awaited: a signal that comes while the services start must end them, too.
const signal = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
const {
  AUTH_ISSUER: issuer,
  AUTH_AUDIENCE: audience,
  CONSOLE_URL: consoleUrl,
  FLEET_FILE: fleetFile,
  REPORTS_FOLDER: folder,
} = process.env
if (!issuer || !audience || !consoleUrl) {
  throw new Error('AUTH_ISSUER, AUTH_AUDIENCE and CONSOLE_URL say whose tokens to accept')
}
const portOf = (variable: string) => Number(process.env[variable] ?? 0)

const services = await Promise.all([
  startEvolution({ issuer, audience, port: portOf('EVOLUTION_PORT'), fleetFile }),
  ...DEMO_NAMES.map((name) =>
    startDemoService(name, {
      // The console signs an assertion for each of them.
      issuer: consoleUrl,
      audience: name,
      jwksUrl: () => new URL('/.well-known/jwks.json', consoleUrl),
      port: portOf(DEMOS[name].portVariable),
      fleetOf: fleetOfFile(fleetFile),
      folder,
    }),
  ),
])
process.stdout.write(
  `services listening on ${services.map(({ url }) => url).join(', ')} for tokens of ${issuer} and ${consoleUrl}\n`,
)

await signal
await Promise.all(services.map((service) => service.close()))
