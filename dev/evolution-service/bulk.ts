import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { gzipSync } from 'node:zlib'

/** Answers that are far larger than any status or genome. Neither is ever held in memory as a whole. */

export const GIBIBYTE = 2 ** 30

const HEAD = Buffer.from('{"state":"')
const TAIL = Buffer.from('"}')

interface Size {
  fillerBytes: number
  pieceBytes: number
}

/** Valid JSON of exactly this size, if anybody waits for the end of it. */
export async function pour(response: ServerResponse, bytes: number): Promise<void> {
  const size = { fillerBytes: bytes - HEAD.length - TAIL.length, pieceBytes: 64 * 1024 }
  response.writeHead(200, { 'content-type': 'application/json' })
  // The pipeline waits for whoever reads, and ends when he leaves: that is no error here.
  await pipeline(Readable.from(around(HEAD, pieces(size), TAIL)), response).catch(() => undefined)
}

/** About a thousandth of the size of what it unfolds into. */
export function gzipBomb(bytes: number): Buffer {
  const size = { fillerBytes: bytes - HEAD.length - TAIL.length, pieceBytes: 1024 * 1024 }
  const squeezed = new Map<number, Buffer>()
  // Concatenated members unfold into one text (RFC 1952 section 2.2), so the same one serves many times.
  const members = pieces(size).map((piece) => {
    const member = squeezed.get(piece.length) ?? gzipSync(piece, { level: 9 })
    squeezed.set(piece.length, member)
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
