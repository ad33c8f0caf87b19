import { pipeline } from 'node:stream/promises'
import { type Exchange, Refusal } from '../exchange.ts'
import { readRange } from './range.ts'
import type { Reports, StoredReport } from './reports.ts'

/** Sends a report, or the part of it that was asked for. */
export async function download(reports: Reports, report: StoredReport, exchange: Exchange): Promise<void> {
  const { request, response } = exchange
  const { size, sha256 } = report
  const etag = `"${sha256}"`
  const about = { etag, 'report-digest': sha256, 'accept-ranges': 'bytes' }
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, about).end()
    return
  }
  // With another If-Range the caller has a part of what is no longer there: it gets the whole.
  const { 'if-range': condition = etag } = request.headers
  const part = condition === etag ? readRange(request.headers.range, size) : undefined
  if (part === 'unsatisfiable') {
    throw new Refusal(416, 'The report is shorter', { headers: { 'content-range': `bytes */${size}` } })
  }
  const { first, last } = part ?? { first: 0, last: size - 1 }
  response.writeHead(part ? 206 : 200, {
    ...about,
    'content-type': 'application/octet-stream',
    'content-length': last - first + 1,
    ...(part && { 'content-range': `bytes ${first}-${last}/${size}` }),
  })
  if (request.method === 'HEAD' || size === 0) {
    response.end()
    return
  }
  // Whoever leaves before the end has what he wanted.
  await pipeline(reports.read(report, { first, last }), response).catch(() => undefined)
}
