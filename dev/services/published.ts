import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import type { Answer } from '../evolution-service/answer.ts'

export interface Published {
  answer: (request: IncomingMessage) => Answer
  text: () => string
  /** Another document from now on, good or not; undefined for the service's own. */
  swap: (text: string | undefined) => void
}

/** The document of a service, where whoever mounts it asks for it. */
export function createPublished(file: URL): Published {
  const own = readFileSync(file, 'utf8')
  let text = own

  return {
    text: () => text,
    swap(next = own) {
      text = next
    },
    answer({ headers }) {
      const body = Buffer.from(text)
      const etag = `"${createHash('sha256').update(body).digest('base64url')}"`
      if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: Buffer.alloc(0) }
      return { status: 200, headers: { 'content-type': 'application/json', etag }, body }
    },
  }
}
