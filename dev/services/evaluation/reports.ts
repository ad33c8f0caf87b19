import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { nowSeconds } from '../exchange.ts'
import type { Part } from './range.ts'

export interface Report {
  size: number
  sha256: string
  uploaded_at: number
}

export interface StoredReport extends Report {
  file: string
}

/** Keeps reports in files, and none of them in memory. */
export interface Reports {
  /** Undefined when the sender left before the end: then nothing is kept. */
  store: (content: Readable) => Promise<StoredReport | undefined>
  read: (report: StoredReport, part: Part) => Readable
  /** Whoever is reading it may read on. */
  remove: (report: StoredReport) => Promise<void>
  close: () => Promise<void>
}

/** In this folder, or in a temporary one of its own. */
export async function createReports(given?: string): Promise<Reports> {
  const folder = given ?? (await mkdtemp(join(tmpdir(), 'evaluation-reports-')))

  return {
    async store(content) {
      const file = join(folder, randomUUID())
      const hash = createHash('sha256')
      let size = 0
      const weigh = async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk)
          size += chunk.length
          yield chunk
        }
      }
      try {
        await pipeline(content, weigh, createWriteStream(file))
      } catch {
        await rm(file, { force: true })
        return undefined
      }
      return { file, size, sha256: hash.digest('hex'), uploaded_at: nowSeconds() }
    },
    read: ({ file }, { first, last }) => createReadStream(file, { start: first, end: last }),
    remove: ({ file }) => rm(file, { force: true }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
