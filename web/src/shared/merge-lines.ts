import { compare } from './lines.ts'

/** Lines `start` to before `end` of the base become `lines`. */
interface Hunk {
  start: number
  end: number
  lines: string[]
}

/** Both changes in one text. undefined: they touch the same lines, so a person has to choose. */
export function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const baseLines = base.split('\n')
  const [ours, others] = [mine, theirs].map((text) => hunks(baseLines, text.split('\n')))
  const all = [
    ...(ours ?? []),
    ...(others ?? []).filter((hunk) => !(ours ?? []).some((own) => isEqual(own, hunk))),
  ]
  all.sort((a, b) => a.start - b.start || a.end - b.end)
  const merged: string[] = []
  let at = 0
  for (const [index, hunk] of all.entries()) {
    const next = all[index + 1]
    if (next !== undefined && overlap(hunk, next)) return undefined
    merged.push(...baseLines.slice(at, hunk.start), ...hunk.lines)
    at = hunk.end
  }
  return [...merged, ...baseLines.slice(at)].join('\n')
}

function hunks(before: readonly string[], after: readonly string[]): Hunk[] {
  const found: Hunk[] = []
  let at = 0
  let open: Hunk | undefined
  for (const { kind, text } of compare(before, after)) {
    if (kind === 'same') {
      open = undefined
      at += 1
      continue
    }
    if (open === undefined) {
      open = { start: at, end: at, lines: [] }
      found.push(open)
    }
    if (kind === 'add') open.lines.push(text)
    else {
      at += 1
      open.end = at
    }
  }
  return found
}

function isEqual(a: Hunk, b: Hunk): boolean {
  return a.start === b.start && a.end === b.end && a.lines.join('\n') === b.lines.join('\n')
}

/** The order of an insertion and of a change at the same place is not known, so touching counts there. */
function overlap(a: Hunk, b: Hunk): boolean {
  const isInsertion = a.start === a.end || b.start === b.end
  return isInsertion ? b.start <= a.end : b.start < a.end
}
