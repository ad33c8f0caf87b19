import type { ServerResponse } from 'node:http'
import { standIn, type WithAfter } from './identity-watch.ts'

export interface RevocationServer {
  url: string
  /** The `if-none-match` of each request, or undefined. */
  asked: (string | undefined)[]
  /** Publishes a list, or a text that is none. */
  publish: (list: unknown) => void
  /** Answers in another way, until the next `publish`. */
  behave: (answer: (response: ServerResponse) => void) => void
  stop: () => Promise<void>
}

/** A server that publishes a list of revocations, with an ETag. */
export async function startRevocations(t: WithAfter): Promise<RevocationServer> {
  const asked: (string | undefined)[] = []
  let text = '{}'
  let version = 0
  let answer: ((response: ServerResponse) => void) | undefined
  const { url, stop } = await standIn(t, (request, response) => {
    const known = request.headers['if-none-match']
    asked.push(known)
    if (answer) return answer(response)
    response.setHeader('etag', `"${version}"`)
    if (known === `"${version}"`) response.writeHead(304).end()
    else response.end(text)
  })
  return {
    url,
    asked,
    publish: (list) => {
      text = typeof list === 'string' ? list : JSON.stringify(list)
      version += 1
      answer = undefined
    },
    behave: (next) => {
      answer = next
    },
    stop,
  }
}
