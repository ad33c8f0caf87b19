/** What clients saw, by `performance.now()` of one process. */
export interface History {
  tries: Try[]
  writes: Write[]
  reads: Read[]
}

/** One HTTP request. */
export interface Try {
  method: string
  startedAt: number
  endedAt: number
  /** Undefined if there was no complete response. */
  status: number | undefined
  code: string | undefined
  retryAfter: string | null
}

/** One change, with all its tries. Each writes its key into the agent. */
export interface Write {
  key: string
  /** The agent. Undefined while a creation has not succeeded. */
  agent: string | undefined
  outcome: 'pending' | 'acknowledged' | 'refused'
  /** That it made, if it is acknowledged. */
  revision: number | undefined
  startedAt: number
  /** When the client knew the outcome. */
  endedAt: number
}

export interface Read {
  agent: string
  revision: number
  /** Not after its request was sent. */
  startedAt: number
}

/** A revision as the database has it in the end. */
export interface StoredRevision {
  agent: string
  revision: number
  key: string
  /** Each edit reads it and writes the next number. */
  counter: number
}

export function createHistory(): History {
  return { tries: [], writes: [], reads: [] }
}

export function beginWrite(history: History, key: string, agent: string | undefined): Write {
  const startedAt = performance.now()
  const write: Write = { key, agent, outcome: 'pending', revision: undefined, startedAt, endedAt: 0 }
  history.writes.push(write)
  return write
}

export function acknowledge(write: Write, agent: string, revision: number): void {
  Object.assign(write, { agent, revision, outcome: 'acknowledged', endedAt: performance.now() })
}

export function refuse(write: Write): void {
  Object.assign(write, { outcome: 'refused', endedAt: performance.now() })
}

/** When changes were acknowledged, in order. */
export function acknowledgements({ writes }: History): number[] {
  const acknowledged = writes.filter(({ outcome }) => outcome === 'acknowledged')
  return acknowledged.map(({ endedAt }) => endedAt).toSorted((a, b) => a - b)
}

/** The longest time between two of these moments that is not over before `from`, and not begun after `to`. The moments are
 * in order. */
export function longestGap(moments: number[], from: number, to: number): number {
  let longest = 0
  let last = from
  for (const moment of moments) {
    if (moment >= from) longest = Math.max(longest, Math.min(moment, to) - last)
    if (moment >= to) return longest
    last = moment
  }
  return Math.max(longest, to - last)
}
