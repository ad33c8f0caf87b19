// The development issuer as a process of its own. A token of any user in any team:
//
//   curl -u <user-uuid>.<team-uuid>:development $ISSUER/token \
//     -d grant_type=client_credentials -d 'scope=agent:read agent:write'

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { JWK } from 'jose'
import type { Identity } from './client.ts'
import { startIssuer } from './issuer.ts'

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))

const {
  ISSUER_HOST: host,
  ISSUER_PORT: port,
  ISSUER_URL: url,
  ISSUER_AUDIENCE: audience,
  ISSUER_TOKEN_SECONDS: lifetime,
  ISSUER_PERSON_TOKEN_SECONDS: personLifetime,
  ISSUER_KEY_FILE: keyFile,
  // The user and the team of the administrator, as JSON.
  ISSUER_ADMINISTRATOR_FILE: administratorFile,
  // Where browsers reach the console. Several are separated by commas.
  ISSUER_CONSOLE_URLS: consoleUrls,
} = process.env

const issuer = await startIssuer({
  ...(host && { host }),
  ...(port && { port: Number(port) }),
  ...(url && { url }),
  ...(audience && { audience }),
  ...(keyFile && { key: readJson(keyFile) as JWK }),
  ...(administratorFile && { administrator: readJson(administratorFile) as Identity }),
  ...(consoleUrls && { consoleUrls: consoleUrls.split(',') }),
  ...(personLifetime && { personTokenSeconds: Number(personLifetime) }),
  ...(lifetime && { tokenLifetimeSeconds: Number(lifetime) }),
})
process.stdout.write(`issuer listening on ${issuer.url} for the audience ${issuer.audience}\n`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
await issuer.close()
