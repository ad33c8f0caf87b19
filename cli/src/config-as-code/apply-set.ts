import { isConfirmed } from '../confirm.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../failure.ts'
import type { Result } from '../output/result.ts'
import { oneLine, severalLines } from '../output/safe-text.ts'
import { createStyle, type Style } from '../output/style.ts'
import { wrapMessage } from '../output/wrap.ts'
import { type Applied, applyPlan, type Outcome } from './apply.ts'
import { ownsSame } from './compare.ts'
import type { OpenSet } from './open-set.ts'
import { isBlocked, type Plan } from './plan-types.ts'
import { indented, renderPlan } from './print-plan.ts'

interface ApplySetOptions {
  force: readonly string[]
  adopt?: string
}

/** Without a terminal no question can be asked. */
export function requireYes({ io, options }: Context): void {
  if (!options.isOn('yes') && !io.stdin.isTerminal) {
    throw new UsageError('Without a terminal, this needs --yes, or a plan file.')
  }
}

/** Shows the plan, and asks unless `--yes` is given. */
export async function confirmPlan(plan: Plan, { io, options, format, print, style }: Context): Promise<void> {
  const count = plan.items.filter((item) => !isBlocked(item)).length
  const isAsked = !options.isOn('yes')
  if (format === 'table') print(`${renderPlan(plan, style)}\n`)
  else if (isAsked)
    io.stderr.write(`${renderPlan(plan, createStyle(io.stderr, io, options.isOn('no-color')))}\n`)
  if (!isAsked || count === 0) return
  const question = `\nApply ${count === 1 ? 'this change' : `these ${count} changes`}? `
  if (!(await isConfirmed(io, question))) throw new UsageError('Nothing was changed.')
}

/** Applies a plan and says what became of it. */
export async function applySet(
  plan: Plan,
  set: OpenSet,
  context: Context,
  given: ApplySetOptions,
): Promise<Result> {
  const { io, progress, note, options } = context
  const { client, secrets, pool, files } = set
  const desired = new Map(files.desired.map((each) => [each.key, each]))
  const total = plan.items.filter((item) => !isBlocked(item)).length
  let done = 0
  const applied = await applyPlan(plan, {
    ...{ client, desired, secrets, pool, ...given, reason: options.text('reason'), signal: io.signal },
    onDone: ({ key, warnings }) => {
      progress(`${++done} of ${total} done…`)
      if (warnings !== null) {
        progress('')
        note(`${key}: these values look like credentials, and every reader sees them: ${oneLine(warnings)}`)
      }
    },
    onUnchecked: (key, { message }) => {
      progress('')
      note(`${key} was applied, but not compared with its file: ${oneLine(message)}`)
    },
  })
  const isInterrupted = io.signal.aborted
  if (!isInterrupted && applied.error === undefined) {
    await checkSet(applied.outcomes, set).catch((error: Error) => {
      progress('')
      note(`The changes were made, but the set was not read again: ${oneLine(error.message)}`)
    })
  }
  progress('')
  if (applied.error !== undefined && !applied.outcomes.some(({ status }) => status === 'applied'))
    throw applied.error
  const { set: name, url, unchanged } = plan
  return {
    data: { set: name, url, agents: applied.outcomes, unchanged: unchanged.length },
    names: applied.outcomes.filter(({ status }) => status === 'applied').map(({ key }) => key),
    render: (style) => renderOutcomes(applied, isInterrupted, style),
    exitCode: isInterrupted ? EXIT.interrupted : exitCodeOf(applied),
  }
}

/** Reads the set again: it must have what was applied. */
async function checkSet(outcomes: Outcome[], { client, files }: OpenSet): Promise<void> {
  if (!outcomes.some(({ status }) => status === 'applied')) return
  const members = await client.members()
  for (const outcome of outcomes.filter(({ status }) => status === 'applied')) {
    const member = members.get(outcome.key)
    const spec = files.desired.find(({ key }) => key === outcome.key)?.spec
    const isRight = spec ? member !== undefined && ownsSame(member.fields, spec) : member === undefined
    if (isRight || (spec && member && member.revision > (outcome.revision ?? 0))) continue
    outcome.status = 'failed'
    outcome.error = 'It was applied, but the set does not show it: another apply may be running.'
  }
}

function exitCodeOf({ outcomes, error }: Applied): number {
  const has = (status: Outcome['status']) => outcomes.some((outcome) => outcome.status === status)
  const isDone = outcomes.every(({ status }) => status === 'applied')
  if (isDone && error === undefined) return EXIT.done
  if (has('applied')) return EXIT.partly
  return has('stale') || has('conflict') ? EXIT.stale : EXIT.error
}

const DONE: Record<Outcome['action'], string> = {
  ...{ create: 'created', update: 'updated', drift: 'set back', archive: 'archived', delete: 'deleted' },
  ...{ conflict: 'in conflict', invalid: 'not valid' },
}

function renderOutcomes({ outcomes, error }: Applied, isInterrupted: boolean, style: Style): string {
  const { paint } = style
  const of = (status: Outcome['status']) => outcomes.filter((outcome) => outcome.status === status)
  const counts = Map.groupBy(of('applied'), ({ action }) => action)
  const done = [...counts].map(([action, { length }]) => `${length} ${DONE[action]}`).join(', ')
  const faults = outcomes.filter(({ status, error: message }) => status !== 'applied' && message !== null)
  const rest = of('not_applied').length
  const parts = [
    ...(isInterrupted ? ['Interrupted.'] : []),
    `${done === '' ? 'Nothing was changed' : paint(done, 'green')}${rest > 0 ? `, ${rest} not begun` : ''}.`,
    ...(rest > 0 ? ['Apply again to go on.'] : []),
  ]
  return [
    ...faults.flatMap(({ key, status, error: message }) => [
      `${paint(`x ${status}`, 'red')}  ${key}`,
      ...indented(message ?? '', style),
    ]),
    ...(error === undefined || isInterrupted
      ? []
      : [wrapMessage(`${severalLines((error as Error).message)}.`, style.columns)]),
    parts.join(' '),
  ].join('\n')
}
