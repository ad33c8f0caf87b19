import type { Answer } from '../evolution-service/answer.ts'

/** What these services can be told to do. All but the last befall the wire, as with the evolution service. */
export const MODES = [
  'slow',
  'hang',
  'hang_half_way',
  'error_500',
  'error_503',
  'error_4xx',
  'redirect',
  'html',
  'truncated_chunk',
  'wrong_length',
  'gigabyte',
  'reset',
  'reset_on_connect',
  'garbage',
  'break_schema',
] as const
export type Mode = (typeof MODES)[number]

/** A good answer with its first member made what no document here declares it to be. */
export function breakSchema(answer: Answer): Answer {
  const isObject = answer.status < 300 && answer.headers['content-type'] === 'application/json'
  if (!isObject) return answer
  const value = JSON.parse(answer.body.toString()) as Record<string, unknown>
  const [first = ''] = Object.keys(value)
  return { ...answer, body: Buffer.from(JSON.stringify({ ...value, [first]: { unexpected: true } })) }
}
