export interface DiffLine {
  sign: ' ' | '-' | '+'
  text: string
}

/** More would take too long: the texts are then shown one after the other. */
const MAX_CELLS = 4_000_000
const CONTEXT = 2

/** The lines of two texts, with what was removed and added. Equal lines far from a change are left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const all = [...equal(a.slice(0, start)), ...middle, ...equal(a.slice(a.length - end))]
  return withoutDistant(all)
}

const equal = (lines: string[]): DiffLine[] => lines.map((text) => ({ sign: ' ', text }))
const removed = (lines: string[]): DiffLine[] => lines.map((text) => ({ sign: '-', text }))
const added = (lines: string[]): DiffLine[] => lines.map((text) => ({ sign: '+', text }))

/** Any parts of two texts, by the longest common subsequence. */
export function compare(a: string[], b: string[]): DiffLine[] {
  if (a.length * b.length > MAX_CELLS) return [...removed(a), ...added(b)]
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      lines.push(...equal([a[i] ?? '']))
      i++
      j++
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(...removed([a[i++] ?? '']))
    else lines.push(...added([b[j++] ?? '']))
  }
  return [...lines, ...removed(a.slice(i)), ...added(b.slice(j))]
}

function withoutDistant(lines: DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line]
    return isNear[index - 1] || index === 0 ? [{ sign: ' ', text: '…' } as const] : []
  })
}
