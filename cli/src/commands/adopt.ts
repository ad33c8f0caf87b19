import { resolveAgent } from '../agents/resolve.ts'
import { applySet, confirmPlan, requireYes } from '../config-as-code/apply-set.ts'
import { askConsole } from '../config-as-code/ask-console.ts'
import { openSet } from '../config-as-code/open-set.ts'
import { planResult } from '../config-as-code/plan-set.ts'
import { isBlocked, type Plan } from '../config-as-code/plan-types.ts'
import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'

export const run: Run = async (context) => {
  const [agent = '', key = ''] = context.args
  requireYes(context)
  const set = await openSet(context, key)
  const { client, console, connection, files } = set
  const [desired] = files.desired
  if (!desired) {
    throw new UsageError(
      `No file has the key ${key}. Write one, or run: agent-console pull ${JSON.stringify(agent)}`,
    )
  }
  const adopt = await resolveAgent(console, agent)
  const member = (await client.members()).get(key)
  if (member) throw new UsageError(`The set has the key ${key} already, for the agent ${member.agent_id}.`)
  const item = await askConsole(desired, undefined, {
    ...set,
    force: [],
    drift: async () => undefined,
    adopt,
  })
  const plan: Plan = {
    ...{ set: client.set, url: connection.url, items: item ? [item] : [], unchanged: [], withoutFile: [] },
  }
  if (!item || isBlocked(item)) return planResult(plan, false)
  await confirmPlan(plan, context)
  return applySet(plan, set, context, { force: [], adopt })
}
