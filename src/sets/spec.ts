import { readNestedValues } from '../agents/nested-values.ts'
import type { AgentCreate } from '../contract/agent.ts'
import type { AgentSpec } from '../contract/configuration-set.ts'
import { RequestValidationError, type ValidationError } from '../contract/validation-error.ts'
import { isMaskShaped } from '../platform/secrets/secrets.ts'

const PLACE = 'spec'

/** The values of a spec. A mask never stands for a secret: a file that has one has lost the secret. */
export function readSpec(spec: AgentSpec): AgentSpec {
  const secrets: [unknown, ...string[]][] = [
    [spec.api_key, 'api_key'],
    [spec.white_box_config?.github_token, 'white_box_config', 'github_token'],
  ]
  const masks = secrets.filter(([value]) => typeof value === 'string' && isMaskShaped(value))
  if (masks.length > 0) {
    throw new RequestValidationError(
      masks.map(([, ...path]) => ({
        loc: ['body', PLACE, ...path],
        msg: 'Value error, a mask is not accepted; send the secret itself, or null to clear it',
        type: 'value_error',
      })),
    )
  }
  return readNestedValues(spec, PLACE)
}

/** A spec that creates an agent. */
export function toCreation(spec: AgentSpec): AgentCreate {
  const { agent_name, model_name } = spec
  if (agent_name !== undefined && model_name !== undefined) return { ...spec, agent_name, model_name }
  throw new RequestValidationError(
    Object.entries({ agent_name, model_name })
      .filter(([, value]) => value === undefined)
      .map(([name]) => ({ loc: ['body', PLACE, name], msg: 'Field required', type: 'missing' })),
  )
}

/** Runs work whose validation errors name the fields of an agent as if they were those of the body. */
export async function inSpec<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    throw new RequestValidationError(error.errors.map(relocate))
  }
}

function relocate({ loc: [part = 'body', ...path], msg, type }: ValidationError): ValidationError {
  return { loc: [part, PLACE, ...path], msg, type }
}
