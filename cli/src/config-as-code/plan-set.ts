import { checkField } from '../agents/fields.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../failure.ts'
import type { Result } from '../output/result.ts'
import { SPEC_FIELDS } from './check-document.ts'
import type { OpenSet } from './open-set.ts'
import { makePlan } from './plan.ts'
import { isEmpty, type Plan, type PlanItem } from './plan-types.ts'
import { renderPlan } from './print-plan.ts'
import { checkMax, DEFAULT_MAX, type PruneOptions } from './prune.ts'

/** The plan that the options ask for. */
export async function planSet(set: OpenSet, context: Context): Promise<Plan> {
  const { io, progress, note } = context
  const { client, connection, files, secrets, pool } = set
  const plan = await makePlan({
    ...{ client, url: connection.url, files, secrets, pool, force: forcedFields(context) },
    ...{ prune: pruneOptions(set, context), signal: io.signal, onProgress: progress },
  })
  progress('')
  noteWithoutFile(plan, note)
  return plan
}

function noteWithoutFile({ withoutFile: keys }: Plan, note: Context['note']): void {
  if (keys.length === 0) return
  const shown = `${keys.slice(0, 10).join(', ')}${keys.length > 10 ? ', …' : ''}`
  note(
    keys.length === 1
      ? `The agent ${shown} of the set has no file. --prune archives it.`
      : `${keys.length} agents of the set have no file: ${shown}. --prune archives them.`,
  )
}

/** The fields of `--force-field`. */
export function forcedFields({ options }: Context): string[] {
  const fields = options.list('force-field')
  for (const field of fields) if (!SPEC_FIELDS.includes(field)) checkField(field)
  return fields
}

/** Checked before the first request. */
export function checkPrune({ options }: Context): void {
  const max = options.text('max-prune')
  if (max !== undefined) checkMax(max)
  if (options.isOn('prune') && options.all('file').length > 0) {
    throw new UsageError('--prune compares with all files of the set: leave out -f.')
  }
  if (!options.isOn('prune') && (max !== undefined || options.isOn('force'))) {
    throw new UsageError('--max-prune and --force are for --prune.')
  }
}

function pruneOptions({ project }: OpenSet, { options }: Context): PruneOptions | undefined {
  if (!options.isOn('prune')) return undefined
  const { statusOnPrune } = project
  return { max: options.text('max-prune') ?? DEFAULT_MAX, isForced: options.isOn('force'), statusOnPrune }
}

export function planResult(plan: Plan, asksForExitCode: boolean): Result {
  return {
    data: planData(plan),
    names: plan.items.map(({ key }) => key),
    render: (style) => renderPlan(plan, style),
    exitCode: exitCodeOf(plan, asksForExitCode),
  }
}

const planData = ({ set, url, items, unchanged, withoutFile }: Plan) => ({
  ...{ set, url, agents: items, unchanged: unchanged.length, without_file: withoutFile },
})

function exitCodeOf(plan: Plan, asksForExitCode: boolean): number {
  const has = (action: PlanItem['action']) => plan.items.some((item) => item.action === action)
  if (has('invalid')) return EXIT.error
  if (has('conflict')) return EXIT.stale
  return asksForExitCode && !isEmpty(plan) ? EXIT.differences : EXIT.done
}
