import { problem, type Result } from '../doctor/finding.ts'

export interface Step extends Result {
  name: string
  seconds: number
}

/** Returns the value that the step adds to its result. */
export type RunStep = <Value = undefined>(
  name: string,
  work: () => Promise<Result & { value?: Value }>,
) => Promise<Value>

/** Runs one step after the other, and reports each with its time. A step that fails is reported as a problem, and throws. */
export function createSteps(report: (step: Step) => void): { steps: Step[]; step: RunStep } {
  const steps: Step[] = []
  const step: RunStep = async (name, work) => {
    const startedAt = performance.now()
    const add = (result: Result) => {
      const done = { name, seconds: (performance.now() - startedAt) / 1_000, ...result }
      steps.push(done)
      report(done)
    }
    try {
      const { value, ...result } = await work()
      add(result)
      return value as never
    } catch (error) {
      add(problem((error as Error).message, 'Correct it, and run the drill again.'))
      throw error
    }
  }
  return { steps, step }
}

const WIDTHS = { level: 7, name: 9, seconds: 8 }

/** One line, and below a problem what to do. */
export function formatStep({ level, name, seconds, text, fix }: Step): string {
  const indent = ' '.repeat(WIDTHS.level + WIDTHS.name + WIDTHS.seconds + 8)
  const line = [
    level.padEnd(WIDTHS.level),
    name.padEnd(WIDTHS.name),
    `${seconds.toFixed(1).padStart(WIDTHS.seconds)} s`,
    text.replaceAll('\n', `\n${indent}`),
  ].join('  ')
  return fix === undefined ? line : `${line}\n${indent}-> ${fix}`
}

/** Until clients could be served, and with all checks. */
export function summarise(steps: readonly Step[]): string {
  const total = (names: readonly string[]) =>
    steps.filter(({ name }) => names.includes(name)).reduce((sum, { seconds }) => sum + seconds, 0)
  const problems = steps.filter(({ level }) => level === 'problem').length
  const all = total(steps.map(({ name }) => name)).toFixed(1)
  if (problems > 0) return `${problems === 1 ? '1 problem' : `${problems} problems`} in ${all} s.`
  const restored = total(['backup', 'restore', 'recover', 'schema']).toFixed(1)
  return `Restored in ${restored} s, with all checks ${all} s. No problems.`
}
