import { quantile } from '../support/timing.ts'
import type { Usage } from './load-scene.ts'
import { KINDS, type MixedReport } from './mixed-load.ts'
import type { Sample } from './resource-samples.ts'

/** Printed at once: the long form takes more than an hour. */
export const print = (line: string): void => void process.stdout.write(`${line}\n`)

/** Responses that are not 200, of all kinds. */
export function refusals({ kinds }: MixedReport): number {
  return KINDS.reduce((sum, kind) => sum + kinds[kind].sent - (kinds[kind].statuses['200'] ?? 0), 0)
}

export function describeReport(report: MixedReport): void {
  const { perSecond, kinds, times, unexpected } = report
  print(`  sent ${Math.round(perSecond)}/s; p50 ${ms(times.p50Ms)}, p99 ${ms(times.p99Ms)} of those accepted`)
  for (const kind of KINDS) {
    const { sent, statuses, times } = kinds[kind]
    print(
      `  ${kind.padEnd(8)} ${sent} sent, ${JSON.stringify(statuses)}; ` +
        `p50 ${ms(times.p50Ms)}, p99 ${ms(times.p99Ms)}, longest ${ms(times.longestMs)}`,
    )
  }
  print(`  unexpected responses: ${JSON.stringify(unexpected)}`)
}

const MAX_REASONS = 10

/** Why requests failed: the different causes in the log of the console, and how often each was logged. */
export function describeFailures(log: string): void {
  const reasons = new Map<string, number>()
  for (const [line] of log.matchAll(/^\{.*"msg":"request failed".*$/gm)) {
    const { code, err } = JSON.parse(line) as { code: string; err?: { code?: string; message?: string } }
    const reason = `${code}: ${err?.code ?? ''} ${err?.message ?? ''}`
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
  }
  for (const [reason, count] of [...reasons].slice(0, MAX_REASONS)) print(`  ${count} times ${reason}`)
}

/** What requests cost: core seconds for a million of them, and room in the database for a write. */
export function describeCost({ kinds }: MixedReport, before: Usage, after: Usage): void {
  const sent = KINDS.reduce((sum, kind) => sum + kinds[kind].sent, 0)
  const [console, database] = [
    after.consoleMicros - before.consoleMicros,
    after.databaseMicros - before.databaseMicros,
  ].map((micros) => Math.round(micros / sent))
  const bytes = Math.round((after.databaseBytes - before.databaseBytes) / kinds.write.sent)
  print(`  a million requests take ${console} core seconds of the console and ${database} of PostgreSQL`)
  print(`  the database has grown by ${bytes} bytes for each write`)
}

export function describeSamples(samples: Sample[]): void {
  const range = (of: (sample: Sample) => number) => {
    const values = samples.map(of)
    return [0, 0.5, 1].map((share) => quantile(values, share).toFixed(0)).join(', ')
  }
  print(`  ${samples.length} samples: least, median, most`)
  print(`  resident  ${range(({ residentMiB }) => residentMiB)} MiB`)
  print(`  descriptors ${range(({ descriptors }) => descriptors)}`)
}

const ms = (value: number) => `${value.toFixed(1)} ms`
