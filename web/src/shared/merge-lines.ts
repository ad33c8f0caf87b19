import { diff3Merge } from 'node-diff3'

/** Both changes in one text. undefined: they touch the same lines, so a person has to choose. */
export function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const regions = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n'))
  const lines: string[] = []
  for (const { ok } of regions) {
    if (ok === undefined) return undefined
    lines.push(...ok)
  }
  return lines.join('\n')
}
