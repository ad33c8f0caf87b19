// The evolution service as a separate process. To see how the console handles its failures:
//
//   curl -X PUT $EVOLUTION/_misbehave -d '{"mode": "slow", "delayMs": 3000, "share": 0.2}'
//   curl -X PUT $EVOLUTION/_misbehave -d '{"mode": null}'

import { once } from 'node:events'
import { startEvolutionService } from './server.ts'

const { EVOLUTION_PORT: port, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = process.env
if (!issuer || !audience) throw new Error('AUTH_ISSUER and AUTH_AUDIENCE say whose tokens to accept')

const service = await startEvolutionService({
  issuer,
  audience,
  ...(port && { port: Number(port) }),
  // Recorded requests can only be read in the same process.
  record: false,
})
process.stdout.write(`evolution service listening on ${service.url} for tokens of ${issuer}\n`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
await service.close()
