import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** A body as it came, and whether its media type says that it is JSON. */
export interface ReceivedBody {
  readonly bytes: Buffer
  readonly isJson: boolean
}

/** Receives bodies; validation reads them, with the schema in hand. A media type that is not JSON is no
 * error of its own: such a body is simply not the object an operation asks for. No media type at all is
 * taken for JSON. */
export const content = fp(
  async (app) => {
    // Fastify refuses a media type it cannot parse before any body parser runs. What was sent stays in the raw request.
    app.addHook('onRequest', async (request) => {
      if (!isJson(request)) request.headers = { 'content-type': 'application/octet-stream' }
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, receive)
  },
  { name: 'content' },
)

async function receive(request: FastifyRequest, bytes: Buffer): Promise<ReceivedBody | undefined> {
  return bytes.length === 0 ? undefined : { bytes, isJson: isJson(request) }
}

function isJson(request: FastifyRequest): boolean {
  const mediaType = request.headers['content-type']
  return mediaType === undefined || JSON_MEDIA_TYPE.test(mediaType)
}
