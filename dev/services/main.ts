// A demonstration service as a process of its own: node dev/services/main.ts teams
// To see how the console takes its failures, or another document:
//
//   curl -X PUT $SERVICE/_misbehave -d '{"mode": "break_schema", "share": 0.2}'
//   curl -X PUT $SERVICE/_misbehave -d '{"mode": null}'
//   curl -X PUT $SERVICE/_document --data-binary @changed.json
//   curl -X PUT $SERVICE/_document

import { once } from 'node:events'
import { DEMO_NAMES } from './catalogue.ts'
import { startDemoService } from './server.ts'

const { SERVICE_PORT: port, AUTH_ISSUER: issuer, AUTH_AUDIENCE: audience } = process.env
const name = DEMO_NAMES.find((known) => known === process.argv[2])
if (!name) throw new Error(`Name one of ${DEMO_NAMES.join(', ')}`)
if (!issuer || !audience) throw new Error('AUTH_ISSUER and AUTH_AUDIENCE say whose tokens to accept')

const service = await startDemoService(name, { issuer, audience, ...(port && { port: Number(port) }) })
process.stdout.write(`${name} service listening on ${service.url} for tokens of ${issuer}\n`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
await service.close()
