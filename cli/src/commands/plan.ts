import { resolve } from 'node:path'
import { openSet } from '../config-as-code/open-set.ts'
import { writePlanFile } from '../config-as-code/plan-file.ts'
import { checkPrune, forcedFields, planResult, planSet } from '../config-as-code/plan-set.ts'
import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'

export const run: Run = async (context) => {
  const { io, options, note } = context
  const out = options.text('out')
  checkPrune(context)
  const force = forcedFields(context)
  // Apply reads the files again, and those of the project.
  if (out !== undefined && options.all('file').length > 0) {
    throw new UsageError('--out is for all files of the set: leave out -f.')
  }
  const set = await openSet(context)
  const plan = await planSet(set, context)
  const result = planResult(plan, options.isOn('exit-code'))
  if (out !== undefined && (result.exitCode === 0 || result.exitCode === 2)) {
    await writePlanFile(
      resolve(io.cwd, out),
      plan,
      new Map(set.files.desired.map((each) => [each.key, each])),
      force,
    )
    note(`The plan is in ${out}. Apply it with: agent-console apply ${out}`)
  } else if (out !== undefined) note(`${out} was not written: the plan cannot be applied as a whole.`)
  return result
}
