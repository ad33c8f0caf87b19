import type { StoredEvent } from '../platform/events/jetstream.ts'
import { formatPosition, type Position } from './position.ts'

/** The part of a position that is the same for all events. */
export type StreamEpoch = Omit<Position, 'sequence'>

export function formatEvent({ createdAt, epoch }: StreamEpoch, { sequence, json }: StoredEvent): Buffer {
  const id = `id: ${formatPosition({ createdAt, epoch, sequence })}\ndata: `
  return Buffer.concat([Buffer.from(id), json, Buffer.from('\n\n')])
}

/** Gives a client a position to resume from, without an event. */
export function formatPositionOnly(
  { createdAt, epoch }: StreamEpoch,
  sequence: number,
  comment: string,
): Buffer {
  return Buffer.from(`: ${comment}\nid: ${formatPosition({ createdAt, epoch, sequence })}\n\n`)
}
