import type { StoredEvent } from '../platform/jetstream.ts'
import { formatPosition } from './position.ts'

export function formatEvent(createdAt: number, { sequence, json }: StoredEvent): Buffer {
  const id = `id: ${formatPosition({ createdAt, sequence })}\ndata: `
  return Buffer.concat([Buffer.from(id), json, Buffer.from('\n\n')])
}

/** Gives a client a position to resume from, without an event. */
export function formatPositionOnly(createdAt: number, sequence: number, comment: string): Buffer {
  return Buffer.from(`: ${comment}\nid: ${formatPosition({ createdAt, sequence })}\n\n`)
}
