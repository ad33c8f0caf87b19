import { until } from '../support/until.ts'
import type { BareProber } from './bare-prober.ts'
import type { Fault } from './fault.ts'
import { acknowledgements, type History, longestGap } from './history.ts'

export interface FaultReport {
  name: string
  count: number
  /** The longest time without an acknowledged change. */
  consoleMs: number
  /** The same for a plain client of PostgreSQL. */
  bareMs: number
  /** How often clients saw each response. */
  responses: Map<string, number>
}

export interface Observed {
  history: History
  bare: BareProber
  /** Throws if a client has failed. */
  checkClients: () => void
}

const RECOVERY_MS = 180_000
/** So many changes must succeed after a fault before the next one. */
const CHANGES_BETWEEN = 20

/** Inflicts one fault after the other. Changes succeed again before the next one. */
export async function runFaults(
  faults: Fault[],
  observed: Observed,
  tell: (line: string) => void,
): Promise<FaultReport[]> {
  const reports: FaultReport[] = []
  for (const { name, times, count = times, inflict } of faults) {
    const report: FaultReport = { name, count, consoleMs: 0, bareMs: 0, responses: new Map() }
    reports.push(report)
    for (let n = 0; n < times; n++) {
      const from = performance.now()
      await inflict(n)
      await writesGoOn(observed)
      const { consoleMs, bareMs } = addTo(report, observed, from, performance.now())
      const lost = observed.bare.lost()
      tell(
        `${name} ${n + 1}/${times}: no change for ${seconds(consoleMs)}, bare ${seconds(bareMs)}` +
          (lost > 0 ? `; the cluster itself has lost ${lost} acknowledged writes` : ''),
      )
    }
  }
  return reports
}

async function writesGoOn({ history, bare, checkClients }: Observed): Promise<void> {
  const since = performance.now()
  const isSo = () => {
    checkClients()
    const later = history.writes.slice(history.writes.findLastIndex(({ startedAt }) => startedAt < since) + 1)
    const changes = later.filter(({ outcome }) => outcome === 'acknowledged')
    return changes.length >= CHANGES_BETWEEN && (bare.moments.at(-1) ?? 0) > since
  }
  await until('changes succeed again', isSo, RECOVERY_MS)
}

function addTo(report: FaultReport, { history, bare }: Observed, from: number, to: number) {
  const consoleMs = longestGap(acknowledgements(history), from, to)
  const bareMs = longestGap(bare.moments, from, to)
  report.consoleMs = Math.max(report.consoleMs, consoleMs)
  report.bareMs = Math.max(report.bareMs, bareMs)
  for (const { status, code, endedAt } of history.tries) {
    if (endedAt < from || endedAt > to) continue
    const name = status === undefined ? 'no response' : `${status}${code ? ` ${code}` : ''}`
    report.responses.set(name, (report.responses.get(name) ?? 0) + 1)
  }
  return { consoleMs, bareMs }
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
