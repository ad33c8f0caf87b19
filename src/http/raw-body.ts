import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

export interface RawBody {
  readonly bytes: Buffer
  /** By its media type; a body without one counts as JSON. */
  readonly isJson: boolean
}

/** Reads bodies without parsing them: validation parses them against the schema. A body of another media type
 * fails validation. */
export const rawBody = fp(
  async (app) => {
    // Fastify rejects a malformed media type before a body parser runs. Its setter adds to the headers and does not replace
    // them; `request.raw` keeps the original ones.
    app.addHook('onRequest', (request, _reply, done) => {
      if (!isJson(request)) request.headers = { 'content-type': 'application/octet-stream' }
      done()
    })
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, keepRaw)
  },
  { name: 'raw-body' },
)

async function keepRaw(request: FastifyRequest, bytes: Buffer): Promise<RawBody | undefined> {
  return bytes.length === 0 ? undefined : { bytes, isJson: isJson(request) }
}

function isJson(request: FastifyRequest): boolean {
  const mediaType = request.headers['content-type']
  return mediaType === undefined || JSON_MEDIA_TYPE.test(mediaType)
}
