import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'

/** Huge responses that are never held in memory as a whole. */

export const GIBIBYTE = 2 ** 30

const HEAD = Buffer.from('{"state":"')
const TAIL = Buffer.from('"}')

interface Size {
  fillerBytes: number
  pieceBytes: number
}

/** Streams valid JSON of exactly this size. */
export async function streamFiller(response: ServerResponse, bytes: number): Promise<void> {
  const size = { fillerBytes: bytes - HEAD.length - TAIL.length, pieceBytes: 64 * 1024 }
  response.writeHead(200, { 'content-type': 'application/json' })
  // The pipeline rejects when the client disconnects, which is expected.
  await pipeline(Readable.from(around(HEAD, pieces(size), TAIL)), response).catch(() => undefined)
}

/** Compresses to about a thousandth of `bytes`. */
export function gzipBomb(bytes: number): Buffer {
  const size = { fillerBytes: bytes - HEAD.length - TAIL.length, pieceBytes: 1024 * 1024 }
  const compressed = new Map<number, Buffer>()
  // Concatenated members decompress to one text (RFC 1952 section 2.2), so one compressed member is used repeatedly.
  const members = pieces(size).map((piece) => {
    const member = compressed.get(piece.length) ?? gzipSync(piece, { level: 9 })
    compressed.set(piece.length, member)
    return member
  })
  return Buffer.concat([...around(gzipSync(HEAD), members, gzipSync(TAIL))])
}

function* pieces({ fillerBytes, pieceBytes }: Size): Generator<Buffer, undefined> {
  const piece = Buffer.alloc(pieceBytes, 'a')
  for (let left = fillerBytes; left > 0; left -= pieceBytes) yield piece.subarray(0, left)
}

function* around(head: Buffer, middle: Iterable<Buffer>, tail: Buffer): Generator<Buffer, undefined> {
  yield head
  yield* middle
  yield tail
}
