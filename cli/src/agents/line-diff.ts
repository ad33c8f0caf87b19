import { diffArrays } from 'diff'

export interface DiffLine {
  sign: ' ' | '-' | '+'
  text: string
}

/** With more changes the texts are shown one after the other. */
const MAX_CHANGES = 1_000
const CONTEXT = 2

/** The lines of two texts, with what was removed and added. Equal lines far from a change are left out. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  const changes = diffArrays(a, b, { maxEditLength: MAX_CHANGES })
  if (changes === undefined) return [...withSign('-', a), ...withSign('+', b)]
  const all = changes.flatMap(({ value, added, removed }) =>
    withSign(added ? '+' : removed ? '-' : ' ', value),
  )
  return withoutDistant(all)
}

const withSign = (sign: DiffLine['sign'], lines: string[]): DiffLine[] =>
  lines.map((text) => ({ sign, text }))

function withoutDistant(lines: DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' '),
  )
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line]
    return isNear[index - 1] || index === 0 ? [{ sign: ' ', text: '…' } as const] : []
  })
}
