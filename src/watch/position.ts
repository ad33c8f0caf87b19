import type { StoredStream } from '../platform/events/jetstream.ts'

/** The position after an event. It contains the creation time of the stream, because a new stream counts from 1 again, and
 * the epoch, because a client with events of an earlier one must list the agents again. */
export interface Position {
  createdAt: number
  epoch: number
  sequence: number
}

export function formatPosition({ createdAt, epoch, sequence }: Position): string {
  return `${createdAt.toString(36)}-${epoch}-${sequence}`
}

/** Expects a text that matches the pattern of Last-Event-ID. */
export function parsePosition(text: string): Position {
  const [createdAt = '', epoch = '', sequence = ''] = text.split('-')
  return { createdAt: Number.parseInt(createdAt, 36), epoch: Number(epoch), sequence: Number(sequence) }
}

/** Whether the stream still has every event after the position. */
export function isAvailable({ createdAt, sequence }: Position, stream: StoredStream): boolean {
  return (
    createdAt === stream.createdAt && sequence + 1 >= stream.firstSequence && sequence <= stream.lastSequence
  )
}
