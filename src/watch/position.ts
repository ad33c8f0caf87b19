import type { StoredStream } from '../platform/event-stream.ts'

/** A place in the stream: after this event. It names the stream too, because another one counts from 1 again. */
export interface Position {
  madeAt: number
  sequence: number
}

export function formatPosition({ madeAt, sequence }: Position): string {
  return `${madeAt.toString(36)}-${sequence}`
}

/** Of a text that fits the pattern. */
export function parsePosition(text: string): Position {
  const [madeAt = '', sequence = ''] = text.split('-')
  return { madeAt: Number.parseInt(madeAt, 36), sequence: Number(sequence) }
}

/** Whether everything after it can still be told. */
export function isKept({ madeAt, sequence }: Position, stream: StoredStream): boolean {
  return madeAt === stream.madeAt && sequence + 1 >= stream.firstSequence && sequence <= stream.lastSequence
}
