import { isTrusted } from '../../src/agent/lifecycle/lifecycle.ts'
import type { TRUST_STAGES } from '../../src/agent/schema.ts'
import type { Random } from './random.ts'

type Stage = (typeof TRUST_STAGES)[number]

const DAY_SECONDS = 86_400
/** NULL in the text format of COPY. */
const NULL = '\\N'

export const EARNED_COLUMNS = 'trusted_at, ttt_days, latest_evaluation'

/** The values of EARNED_COLUMNS for an agent at a stage: from `tested` on an evaluation of its first revision, and from
 * `trusted` on the time when it became trusted. */
export function earnedBy(
  stage: Stage,
  { number, createdAt, random }: { number: number; createdAt: number; random: Random },
): (string | number)[] {
  if (stage === 'registered') return [NULL, NULL, NULL]
  const seconds = Math.floor(random.next() * 200 * DAY_SECONDS)
  const evaluation =
    `{"evaluation_id":"${evaluationId(number)}","overall_score":${score(random)},` +
    `"reliability_score":${score(random)},"security_score":${score(random)},"safety_score":${score(random)},` +
    `"completed_at":${createdAt + Math.floor(seconds / 2)},"revision":1}`
  if (!isTrusted(stage)) return [NULL, NULL, evaluation]
  return [createdAt + seconds, Math.round((seconds * 100) / DAY_SECONDS) / 100, evaluation]
}

function evaluationId(number: number): string {
  return `00000000-0000-4000-9000-${number.toString(16).padStart(12, '0')}`
}

/** From 0 to 1 with two decimals. */
function score(random: Random): number {
  return Math.round(random.next() * 100) / 100
}
