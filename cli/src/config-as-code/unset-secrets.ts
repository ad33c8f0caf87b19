import type { Io } from '../io.ts'
import type { Spec } from './desired.ts'
import { readSpec } from './read-spec.ts'

const MAX_NAMED = 5

/** A variable that a written file names for a secret, and that the environment does not have. */
export interface UnsetSecret {
  variable: string
  /** The field of the spec that the secret is in. */
  field: string
  /** The set owns the field: without it in the file, the next apply would clear the secret. */
  isOwned: boolean
}

export async function findUnset(
  spec: Spec,
  { env }: Pick<Io, 'env'>,
): Promise<Omit<UnsetSecret, 'isOwned'>[]> {
  const { secrets } = await readSpec(spec, { folder: '', project: '' })
  return secrets.flatMap(({ path, source }) =>
    'env' in source && !env[source.env] ? [{ variable: source.env, field: String(path[0]) }] : [],
  )
}

/** What to do before a plan, which needs every secret of the files. */
export function describeUnset(unset: readonly UnsetSecret[]): string {
  const variables = unset.map(({ variable }) => variable).toSorted()
  const rest = variables.length - MAX_NAMED
  const named = [...variables.slice(0, MAX_NAMED), ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  const sentence = `A plan needs the secrets in these variables: ${named}.`
  if (unset.some(({ isOwned }) => isOwned)) return sentence
  const fields = [...new Set(unset.map(({ field }) => field))].toSorted().join(' and ')
  return `${sentence} To leave the secrets to the console, remove ${fields} from the files first.`
}
