import type { StoredEvent } from '../platform/event-stream.ts'
import { formatPosition } from './position.ts'

/** Server-sent events, as they go over the wire. */

export function eventFrame(madeAt: number, { sequence, json }: StoredEvent): Buffer {
  const id = `id: ${formatPosition({ madeAt, sequence })}\ndata: `
  return Buffer.concat([Buffer.from(id), json, Buffer.from('\n\n')])
}

/** A position without an event: whoever has seen none still knows where to go on. */
export function positionFrame(madeAt: number, sequence: number, comment: string): Buffer {
  return Buffer.from(`: ${comment}\nid: ${formatPosition({ madeAt, sequence })}\n\n`)
}
