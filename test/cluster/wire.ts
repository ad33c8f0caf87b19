/** Reads what a client of PostgreSQL sends, as far as to know when it commits a change of an agent. */
export interface CommitReader {
  /** Returns whether the bytes end a message that commits such a change. */
  read: (bytes: Buffer) => boolean
}

/** Whether it changes an agent. Such a statement commits by itself outside of a transaction. */
const CHANGE = /\b(?:INSERT INTO|UPDATE) agents\b/

export function createCommitReader(): CommitReader {
  const changes = new Set<string>()
  let rest = Buffer.alloc(0)
  let hasStarted = false
  let isInTransaction = false
  let isChange = false

  /** Returns whether the message commits. */
  const take = (type: string, body: Buffer): boolean => {
    const [first = '', second = ''] = body.toString('utf8').split('\0')
    if (type === 'P') {
      // Parse: the name of a statement and its text.
      if (CHANGE.test(second)) changes.add(first)
      else changes.delete(first)
    } else if (type === 'B') {
      // Bind: the name of a portal and that of a statement.
      isChange ||= changes.has(second)
    } else if (type === 'Q') {
      if (/^BEGIN\b/.test(first)) isInTransaction = true
      if (!/^(?:COMMIT|ROLLBACK)\b/.test(first)) return false
      isInTransaction = false
      const commits = isChange && first.startsWith('COMMIT')
      isChange = false
      return commits
    } else if (type === 'S' && !isInTransaction) {
      const commits = isChange
      isChange = false
      return commits
    }
    return false
  }

  return {
    read: (bytes) => {
      rest = Buffer.concat([rest, bytes])
      let commits = false
      for (;;) {
        // Only the first message has no type.
        const lengthAt = hasStarted ? 1 : 0
        if (rest.length < lengthAt + 4) return commits
        const end = lengthAt + rest.readUInt32BE(lengthAt)
        if (rest.length < end) return commits
        if (hasStarted) commits = take(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end)) || commits
        hasStarted = true
        rest = rest.subarray(end)
      }
    },
  }
}
