import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** In the order of preference: brotli needs less CPU time than gzip and gives fewer bytes. */
const CODINGS = ['br', 'gzip'] as const

export type Coding = (typeof CODINGS)[number]

/** `fast` is for a body that is sent once, `small` for one that is kept and sent often. */
export type Effort = 'fast' | 'small'

const BROTLI_QUALITY = { fast: 1, small: 6 }
const GZIP_LEVEL = { fast: 1, small: 6 }

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Runs in the thread pool of Node. */
export function compress(coding: Coding, body: string | Uint8Array, effort: Effort): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(body, { level: GZIP_LEVEL[effort] })
  return compressBrotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort] } })
}

/** The coding for a response, or undefined to send it as it is (RFC 9110 section 12.5.3). */
export function chooseCoding(acceptEncoding: string | undefined): Coding | undefined {
  if (acceptEncoding === undefined) return undefined
  const weights = new Map(acceptEncoding.toLowerCase().split(',').map(readWeight))
  const weightOf = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a))
  const isPreferred = best && weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0)
  return isPreferred ? best : undefined
}

/** A weight that is not a number counts as 0. */
function readWeight(item: string): [coding: string, weight: number] {
  const [coding = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  return [coding, weight === undefined ? 1 : Number(weight) || 0]
}
