import { hash } from 'node:crypto'
import { HASH_BYTES, leafOf, rootOf } from './hash-tree.ts'

export interface Checkpoint {
  teamId: string
  /** The number of the seal that it belongs to. */
  seal: number
  /** The id of its last record. */
  lastId: string
  records: number
  /** The hash of the checkpoint of the team before it. */
  previous: Buffer | null
  hash: Buffer
}

/** What a seal says. It is the payload of a JSON Web Signature. */
export interface SealClaims {
  seal: number
  /** The ids that it covers: from `start` up to `end`, which is not covered. */
  start: string
  end: string
  records: number
  checkpoints: number
  /** The root of the hash tree over the checkpoints, in base64url. */
  root: string
  /** The hash of the seal before it; null in the first. */
  previous: string | null
  /** When it was signed, Unix time in seconds. */
  iat: number
}

/** The type in the header of the signature. */
export const SEAL_TYPE = 'audit-seal+jwt'

/** The hashes of the records, one after the other, are the leaves of its tree. */
export function makeCheckpoint(place: Omit<Checkpoint, 'hash' | 'records'>, hashes: Buffer): Checkpoint {
  const { teamId, seal, lastId, previous } = place
  const records = hashes.length / HASH_BYTES
  const root = rootOf(hashes).toString('base64url')
  const committed = [teamId, seal, lastId, records, root, previous?.toString('base64url') ?? null]
  return { ...place, records, hash: hash('sha256', JSON.stringify(committed), 'buffer') }
}

export function rootOfSeal(checkpointHashes: readonly Buffer[]): string {
  return rootOf(Buffer.concat(checkpointHashes.map(leafOf))).toString('base64url')
}

export function hashSeal(seal: string): string {
  return hash('sha256', seal, 'base64url')
}
