// The development issuer as a process of its own. A token of any user in any team:
//
//   curl -u <user-uuid>.<team-uuid>:development $ISSUER/token \
//     -d grant_type=client_credentials -d 'scope=agent:read agent:write'

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { JWK } from 'jose'
import { serve } from '../http-service.ts'
import type { Identity } from './client.ts'
import { createSigningKey, importSigningKey } from './keys.ts'
import { demoPeople, EXAMPLE } from './people.ts'
import { createProvider } from './provider.ts'
import { createStore } from './store.ts'

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const {
  ISSUER_HOST: host = '127.0.0.1',
  ISSUER_PORT: port = '0',
  ISSUER_URL: givenUrl,
  ISSUER_AUDIENCE: audience = 'agent-console',
  ISSUER_TOKEN_SECONDS: lifetime = '3600',
  ISSUER_PERSON_TOKEN_SECONDS: personLifetime = '600',
  ISSUER_KEY_FILE: keyFile,
  // The user and the team of the administrator, as JSON.
  ISSUER_ADMINISTRATOR_FILE: administratorFile,
  // Where browsers reach the console. Several are separated by commas.
  ISSUER_CONSOLE_URLS: consoleUrls = '',
} = process.env

const signingKey = keyFile
  ? await importSigningKey(readJson(keyFile) as JWK)
  : await createSigningKey('ES256')
const server = createServer()
const service = await serve(server, { host, port: Number(port) })
const url = givenUrl || service.url
const provider = createProvider({
  url,
  audience,
  tokenLifetimeSeconds: Number(lifetime),
  personTokenSeconds: Number(personLifetime),
  people: demoPeople(administratorFile ? (readJson(administratorFile) as Identity) : EXAMPLE),
  store: createStore(consoleUrls.split(',').filter(Boolean)),
  signingKey,
  retiredKeys: [],
})
const handle = provider.callback()
server.on('request', (request, response) => void handle(request, response))
process.stdout.write(`issuer listening on ${url} for the audience ${audience}\n`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
await service.close()
