import { resolve } from 'node:path'
import { applySet, confirmPlan, requireYes } from '../config-as-code/apply-set.ts'
import { type OpenSet, openSet } from '../config-as-code/open-set.ts'
import { readPlan, readPlanFile } from '../config-as-code/plan-file.ts'
import { checkPrune, forcedFields, planResult, planSet } from '../config-as-code/plan-set.ts'
import type { Plan } from '../config-as-code/plan-types.ts'
import type { Context, Run } from '../context.ts'
import { UsageError } from '../failure.ts'

export const run: Run = async (context) => {
  const { options, args } = context
  const [planFile] = args
  if (planFile !== undefined) return applyFile(planFile, context)
  checkPrune(context)
  const isDryRun = options.isOn('dry-run')
  if (!isDryRun) requireYes(context)
  const force = forcedFields(context)
  const set = await openSet(context)
  const plan = await planSet(set, context)
  const isInvalid = plan.items.some(({ action }) => action === 'invalid')
  if (isDryRun || isInvalid || plan.items.length === 0) return planResult(plan, options.isOn('exit-code'))
  await confirmPlan(plan, context)
  return applySet(plan, set, context, { force })
}

/** A plan that a person has read needs no question. */
async function applyFile(path: string, context: Context) {
  const { io, options, progress } = context
  const others = ['file', 'prune', 'max-prune', 'force', 'force-field', 'dry-run'].filter(
    (name) => options.all(name).length > 0,
  )
  if (others.length > 0) throw new UsageError(`A plan file says itself what to do: leave out --${others[0]}.`)
  const file = await readPlanFile(resolve(io.cwd, path))
  const set = await openSet(context)
  refuseOther(file, set)
  const plan = readPlan(file, set.files, await set.client.members())
  progress('')
  return applySet(plan, set, context, { force: file.force })
}

function refuseOther({ set, url }: Pick<Plan, 'set' | 'url'>, { project, connection }: OpenSet): void {
  if (set === project.set && url === connection.url) return
  throw new UsageError(
    `The plan is for the set ${set} on ${url}, not for ${project.set} on ${connection.url}.`,
  )
}
