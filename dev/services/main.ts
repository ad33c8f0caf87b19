// The evolution service and the demonstration services, in one process, each on its own port (TEAMS_PORT and so on).
// To see how the console takes the failures of one, or another document of it:
//
//   curl -X PUT $SERVICE/_misbehave -d '{"mode": "error_503", "share": 0.2}'
//   curl -X PUT $SERVICE/_misbehave -d '{"mode": null}'
//   curl -X PUT $SERVICE/_document --data-binary @changed.json
//   curl -X PUT $SERVICE/_document

import { once } from 'node:events'
import { startEvolutionService } from '../evolution-service/server.ts'
import { fleetOfFile, noFleet } from '../story/fleet.ts'
import { DEMO_NAMES, DEMOS } from './catalogue.ts'
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
const fleetOf = fleetFile ? fleetOfFile(fleetFile) : noFleet

const services = await Promise.all([
  startEvolutionService({ issuer, audience, port: portOf('EVOLUTION_PORT'), fleetFile, record: false }),
  ...DEMO_NAMES.map((name) =>
    startDemoService(name, {
      // The console signs an assertion for each of them.
      ...{ issuer: consoleUrl, audience: name, jwksUrl: () => new URL('/.well-known/jwks.json', consoleUrl) },
      ...{ port: portOf(DEMOS[name].portVariable), fleetOf, folder },
    }),
  ),
])
process.stdout.write(
  `services listening on ${services.map(({ url }) => url).join(', ')} for tokens of ${issuer} and ${consoleUrl}\n`,
)

await signal
await Promise.all(services.map((service) => service.close()))
