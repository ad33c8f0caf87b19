import { randomUUID } from 'node:crypto'
import { type Answer, refusal } from '../answer.ts'

export interface Genomes {
  create: (bytes: Buffer) => Answer
  find: (id: string) => Answer
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Stores and returns the bytes unchanged, so that a test sees every change the console makes to them. */
export function createGenomes(): Genomes {
  const kept = new Map<string, Buffer>()

  return {
    create(bytes) {
      const genome = parse(bytes)
      if (typeof genome !== 'object' || genome === null || Array.isArray(genome)) {
        return invalid([], 'A genome is a JSON object')
      }
      if ('reject' in genome && genome.reject === true) {
        return invalid(['reject'], 'This genome asks to be rejected')
      }
      const id = randomUUID()
      kept.set(id, bytes)
      return {
        status: 201,
        headers: { 'content-type': 'application/json', location: `/v1/genomes/${id}` },
        body: Buffer.concat([
          Buffer.from(`{"id":"${id}","genome":`),
          bytes,
          Buffer.from(`,"generation":0,"created_at":${Math.floor(Date.now() / 1_000)}}`),
        ]),
      }
    },

    find(id) {
      const body = kept.get(id.toLowerCase())
      if (!body) return refusal(404, 'No such genome')
      return { status: 200, headers: { 'content-type': 'application/json' }, body }
    },
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown
  } catch {
    return undefined
  }
}

const invalid = (path: string[], msg: string): Answer =>
  refusal(422, [{ loc: ['body', ...path], msg, type: 'value_error' }])
