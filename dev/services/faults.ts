import type { Answer } from '../evolution-service/answer.ts'
import { WIRE_FAULTS } from '../evolution-service/faults.ts'

/** What these services can be told to do. All but the last befall the wire, as with the evolution service. */
export type Mode = keyof typeof WIRE_FAULTS | 'break_schema'
export const MODES = [...(Object.keys(WIRE_FAULTS) as (keyof typeof WIRE_FAULTS)[]), 'break_schema'] as const

/** A good answer with its first member made what no document here declares it to be. */
export function breakSchema(answer: Answer): Answer {
  const isObject = answer.status < 300 && answer.headers['content-type'] === 'application/json'
  if (!isObject) return answer
  const value = JSON.parse(answer.body.toString()) as Record<string, unknown>
  const [first = ''] = Object.keys(value)
  return { ...answer, body: Buffer.from(JSON.stringify({ ...value, [first]: { unexpected: true } })) }
}
