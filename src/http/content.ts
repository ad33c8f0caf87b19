import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type ReceivedBody, readJsonBody } from './json-body.ts'

const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Reads bodies. A media type that is not JSON is no error of its own: such a body is simply not the object
 * an operation asks for, and validation says so. No media type at all is taken for JSON. */
export const content = fp(
  async (app) => {
    // Fastify refuses a media type it cannot parse before any body parser runs.
    app.addHook('onRequest', async (request) => {
      if (!isJson(request)) request.headers['content-type'] = 'application/octet-stream'
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, read)
  },
  { name: 'content' },
)

async function read(request: FastifyRequest, bytes: Buffer): Promise<ReceivedBody | undefined> {
  if (bytes.length === 0) return undefined
  return isJson(request) ? readJsonBody(bytes) : { bytes, value: undefined, findings: [] }
}

function isJson(request: FastifyRequest): boolean {
  const mediaType = request.headers['content-type']
  return mediaType === undefined || JSON_MEDIA_TYPE.test(mediaType)
}
