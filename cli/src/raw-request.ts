import { randomUUID } from 'node:crypto'
import { EXIT, Failure, UsageError } from './failure.ts'
import type { Result } from './output/result.ts'
import { severalLines } from './output/safe-text.ts'
import type { Connection } from './session/connection.ts'
import { VERSION } from './version.ts'

export interface RawRequest {
  method: string
  /** With its query. */
  path: string
  headers: Record<string, string>
  body: string | undefined
}

export interface RawResponse {
  /** As it came. */
  text: string
  /** Undefined if it is not JSON. */
  data: unknown
}

/** Sends a request whose body and response stay as they are: JSON that is parsed and printed again loses digits. */
export async function sendRaw(
  { url, token }: Pick<Connection, 'url' | 'token'>,
  { method, path, headers, body }: RawRequest,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs: number },
): Promise<RawResponse> {
  const target = targetOf(url, path)
  const requestId = randomUUID()
  const authorization = `Bearer ${await token()}`
  let response: Response
  let text: string
  try {
    response = await fetch(target, {
      method,
      body: body ?? null,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'user-agent': `agent-console-cli/${VERSION}`,
        'x-request-id': requestId,
        ...headers,
        authorization,
      },
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    text = await response.text()
  } catch (error) {
    signal.throwIfAborted()
    // The message of fetch could contain a header.
    const { code } = Object((error as Error).cause) as { code?: string }
    const reason =
      (error as Error).name === 'TimeoutError' ? 'no response in time' : (code ?? 'no connection')
    throw new Failure(`${method} ${target.pathname}: ${reason}.\nRequest ${requestId}`)
  }
  if (!response.ok) throw refusal(`${method} ${target.pathname}`, response, text)
  return { text, data: parse(text) }
}

/** The token must not reach another server: a path such as //example.com names one. */
function targetOf(base: string, path: string): URL {
  const target = path.startsWith('/') && !path.startsWith('//') ? URL.parse(base + path) : null
  if (target?.origin !== new URL(base).origin) {
    throw new UsageError(`${path} is not a path of the console, such as /v1/me.`)
  }
  return target
}

const EXIT_BY_STATUS: Record<number, number> = { 401: EXIT.denied, 403: EXIT.denied, 412: EXIT.stale }

function refusal(request: string, { status, headers }: Response, text: string): Failure {
  const id = headers.get('x-request-id')
  const lines = [`${request}: ${status}`, severalLines(text.trim()), ...(id ? [`Request ${id}`] : [])]
  return new Failure(lines.filter(Boolean).join('\n'), EXIT_BY_STATUS[status] ?? EXIT.error)
}

export function rawResult({ text, data }: RawResponse): Result {
  return { data, names: namesOf(data), render: () => text }
}

function namesOf(data: unknown): string[] {
  const { results } = Object(data) as { results?: unknown }
  const items = Array.isArray(results) ? (results as unknown[]) : [data].flat()
  return items.flatMap((item) => {
    const { id, name } = Object(item) as { id?: unknown; name?: unknown }
    const known = id ?? name
    return typeof known === 'string' || typeof known === 'number' ? [String(known)] : []
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
