import type { History } from './history.ts'

/** Sends each request to the next of these addresses, as a load balancer does, and records what came back. */
export function recordingFetch(urls: string[], first: number, history: History): typeof fetch {
  let count = first
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    url.host = new URL(urls[count++ % urls.length] as string).host
    const method = init?.method ?? 'GET'
    const startedAt = performance.now()
    const record = (status?: number, code?: string, retryAfter: string | null = null) =>
      history.tries.push({ method, startedAt, endedAt: performance.now(), status, code, retryAfter })
    try {
      const response = await fetch(url, init)
      const text = await response.text()
      const { status, headers } = response
      const code = status >= 400 ? (JSON.parse(text) as { code?: string }).code : undefined
      record(status, code, headers.get('retry-after'))
      return new Response(text === '' ? null : text, { status, headers })
    } catch (error) {
      record()
      throw error
    }
  }
}
