import { CHECK_ADDRESS, Failure, isPassingStatus, PassingFailure } from '../failure.ts'

interface FindOptions {
  /** Of the console. */
  url: string
  signal: AbortSignal
  timeoutMs: number
}

const PATH = '/.well-known/oauth-protected-resource'

/** The issuer of tokens for a console, and the scopes that its permissions are (RFC 9728). */
export async function findIssuer({
  url,
  signal,
  timeoutMs,
}: FindOptions): Promise<{ issuer: string; scopes: string[] }> {
  const metadata = await readMetadata(url + PATH, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  signal.throwIfAborted()
  const { authorization_servers: servers, scopes_supported: scopes } = Object(metadata) as Record<
    string,
    unknown
  >
  const issuer: unknown = Array.isArray(servers) ? servers[0] : undefined
  if (typeof issuer !== 'string') {
    throw new Failure(`${url} does not name its issuer at ${PATH}. Is it the address of a console?`)
  }
  const names: unknown[] = Array.isArray(scopes) ? scopes : []
  return { issuer, scopes: names.filter((name) => typeof name === 'string') }
}

/** Undefined if there is no JSON. */
async function readMetadata(url: string, signal: AbortSignal): Promise<unknown> {
  let response: Response
  try {
    response = await fetch(url, { signal, redirect: 'error' })
  } catch (error) {
    const { code } = Object((error as Error).cause) as { code?: string }
    const reason =
      (error as Error).name === 'TimeoutError' ? 'no response in time' : (code ?? 'no connection')
    throw new PassingFailure(`${new URL(url).origin} cannot be reached: ${reason}. ${CHECK_ADDRESS}`)
  }
  if (isPassingStatus(response.status)) {
    throw new PassingFailure(`${new URL(url).origin} answered with status ${response.status}.`)
  }
  return response.ok ? response.json().catch(() => undefined) : undefined
}
