// The development issuer as a process of its own. A token of any user in any team:
//
//   curl -u <user-uuid>.<team-uuid>:development $ISSUER/token \
//     -d grant_type=client_credentials -d 'scope=agent:read agent:write'

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { JWK } from 'jose'
import { startIssuer } from './issuer.ts'

const {
  ISSUER_HOST: host,
  ISSUER_PORT: port,
  ISSUER_URL: url,
  ISSUER_AUDIENCE: audience,
  ISSUER_TOKEN_SECONDS: lifetime,
  ISSUER_KEY_FILE: keyFile,
} = process.env

const issuer = await startIssuer({
  ...(host && { host }),
  ...(port && { port: Number(port) }),
  ...(url && { url }),
  ...(audience && { audience }),
  ...(keyFile && { key: JSON.parse(readFileSync(keyFile, 'utf8')) as JWK }),
  ...(lifetime && { tokenLifetimeSeconds: Number(lifetime) }),
})
process.stdout.write(`issuer listening on ${issuer.url} for the audience ${issuer.audience}\n`)

await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')])
await issuer.close()
