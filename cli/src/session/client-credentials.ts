import { readFile } from 'node:fs/promises'
import * as oauth from 'oauth4webapi'
import { UsageError } from '../failure.ts'
import type { Io } from '../io.ts'
import { discoverIssuer, explained, isUsable, toLogin } from './issuer.ts'
import { findIssuer } from './resource-metadata.ts'
import type { Login } from './stored-login.ts'

interface ClientOptions {
  url: string
  io: Pick<Io, 'env' | 'now' | 'signal'>
  timeoutMs: number
}

/** The tokens of a program: a client id with a secret, or with an assertion that the platform of the program signs and
 * renews (workload identity federation). */
export function createClientTokens({ url, io, timeoutMs }: ClientOptions): () => Promise<string> {
  let known: Login | undefined
  return async () => {
    if (!known || !isUsable(known, io.now())) known = await requestToken({ url, io, timeoutMs })
    return known.access_token
  }
}

async function requestToken({ url, io, timeoutMs }: ClientOptions): Promise<Login> {
  const { env, signal } = io
  const found = await findIssuer({ url, signal, timeoutMs })
  const issuer = env['AGENT_CONSOLE_ISSUER'] || found.issuer
  const { server, request } = await discoverIssuer({ issuer, signal, timeoutMs })
  const client = { client_id: env['AGENT_CONSOLE_CLIENT_ID'] ?? '' }
  const authentication = await readAuthentication(env, server)
  const resource = env['AGENT_CONSOLE_RESOURCE']
  const scope = env['AGENT_CONSOLE_SCOPE'] ?? found.scopes.join(' ')
  return explained(signal, `The issuer ${issuer}`, async () => {
    const parameters = new URLSearchParams({ ...(scope && { scope }), ...(resource && { resource }) })
    const response = await oauth.clientCredentialsGrantRequest(
      server,
      client,
      authentication,
      parameters,
      request(),
    )
    const granted = await oauth.processClientCredentialsResponse(server, client, response)
    return toLogin(granted, io.now())
  })
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The assertion is read for every token: the platform replaces the file before it expires. */
async function readAuthentication(
  env: Io['env'],
  server: oauth.AuthorizationServer,
): Promise<oauth.ClientAuth> {
  const { AGENT_CONSOLE_CLIENT_SECRET: secret, AGENT_CONSOLE_CLIENT_ASSERTION_FILE: file } = env
  if (file) {
    const assertion = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`AGENT_CONSOLE_CLIENT_ASSERTION_FILE: ${file} cannot be read: ${error.code}.`)
    })
    return (_server, { client_id: id }, body) => {
      body.set('client_id', id)
      body.set('client_assertion_type', ASSERTION_TYPE)
      body.set('client_assertion', assertion.trim())
    }
  }
  if (!secret) {
    throw new UsageError(
      'AGENT_CONSOLE_CLIENT_ID needs AGENT_CONSOLE_CLIENT_SECRET or AGENT_CONSOLE_CLIENT_ASSERTION_FILE.',
    )
  }
  const methods = server.token_endpoint_auth_methods_supported
  const takesBasic = !methods || methods.includes('client_secret_basic')
  return takesBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}
