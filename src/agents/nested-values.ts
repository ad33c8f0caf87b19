import type { AgentUpdate } from '../contract/agent.ts'
import { DECIMAL_MAX_LENGTH, plainDecimal } from '../contract/decimal.ts'
import { parseUuid } from '../contract/uuid.ts'
import { RequestValidationError } from '../contract/validation-error.ts'

/** The values of an agent that are a member of a body, read as those of a body that is an update by itself.
 * `place` is the name of the member. */
export function readNestedValues<Values extends AgentUpdate>(values: Values, place: string): Values {
  const { test_score: score, guard_config_id: guard } = values
  const plain = typeof score === 'number' ? plainDecimal(String(score)) : score
  if (score != null && plain === null) {
    const msg = `Value error, this number has more than ${DECIMAL_MAX_LENGTH} characters`
    throw new RequestValidationError([{ loc: ['body', place, 'test_score'], msg, type: 'value_error' }])
  }
  return {
    ...values,
    ...(plain === undefined ? {} : { test_score: plain }),
    ...(guard == null ? {} : { guard_config_id: normalUuid(guard) }),
  }
}

/** The schema has accepted the text. */
export function normalUuid(text: string): string {
  const parsed = parseUuid(text)
  return parsed.ok ? parsed.uuid : text
}
