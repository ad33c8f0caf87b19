import { diffArrays } from 'diff'
import { diff3Merge } from 'node-diff3'

/** One step of a comparison: kept in both, only in the old, only in the new. */
export interface Piece {
  kind: 'same' | 'del' | 'add'
  text: string
}

/** With more changes the comparison is given up: all old, then all new. */
const MAX_CHANGES = 1_000

/** Compares two lists of lines or words. */
export function compare(before: readonly string[], after: readonly string[]): Piece[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: MAX_CHANGES })
  if (changes === undefined) return [...piecesOf('del', before), ...piecesOf('add', after)]
  return changes.flatMap(({ value, added, removed }) =>
    piecesOf(added ? 'add' : removed ? 'del' : 'same', value),
  )
}

function piecesOf(kind: Piece['kind'], texts: readonly string[]): Piece[] {
  return texts.map((text) => ({ kind, text }))
}

/** Words, spaces and marks, so that a comparison of words can be joined to the text again. */
export function splitWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

export interface Line {
  kind: 'same' | 'del' | 'add'
  /** Number in the old text of same and del, in the new text of add. */
  number: number
  /** The words of a changed line, or the whole line. */
  pieces: Piece[]
}

type Block = { lines: Line[] } | { gap: number; hidden: Line[] }

/** Lines around a change that are shown for orientation. */
const CONTEXT = 1

/** Changed lines with their words, and the count of equal lines between them. */
export function compareLines(before: string, after: string): Block[] {
  const lines = numberLines(compare(before.split('\n'), after.split('\n')))
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => line.kind !== 'same'),
  )
  // A gap of one line would take the place of the line itself.
  const shown = near.map((own, index) => own || (near[index - 1] !== false && near[index + 1] !== false))
  const blocks: Block[] = []
  for (const [index, line] of lines.entries()) {
    const last = blocks.at(-1)
    if (shown[index] === true) {
      if (last !== undefined && 'lines' in last) last.lines.push(line)
      else blocks.push({ lines: [line] })
    } else if (last !== undefined && 'gap' in last) {
      last.gap += 1
      last.hidden.push(line)
    } else blocks.push({ gap: 1, hidden: [line] })
  }
  return blocks
}

export function countLines(blocks: readonly Block[], kind: 'add' | 'del'): number {
  const lines = blocks.flatMap((block) => ('lines' in block ? block.lines : []))
  return lines.filter((line) => line.kind === kind).length
}

/** The two sides of a comparison, line beside line; undefined: the other side has no such line. */
export function pairLines(lines: readonly Line[]): (readonly [Line | undefined, Line | undefined])[] {
  const pairs: (readonly [Line | undefined, Line | undefined])[] = []
  let removed: Line[] = []
  let added: Line[] = []
  const flush = (): void => {
    const length = Math.max(removed.length, added.length)
    for (let at = 0; at < length; at += 1) pairs.push([removed[at], added[at]])
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'del') removed.push(line)
    else if (line.kind === 'add') added.push(line)
    else {
      flush()
      pairs.push([line, line])
    }
  }
  flush()
  return pairs
}

/** Pairs each removed line with the added line in its place and compares their words. */
function numberLines(pieces: readonly Piece[]): Line[] {
  const lines: Line[] = []
  let oldNumber = 0
  let newNumber = 0
  for (let index = 0; index < pieces.length; ) {
    const piece = pieces[index]
    if (piece?.kind === 'same') {
      oldNumber += 1
      newNumber += 1
      lines.push({ kind: 'same', number: newNumber, pieces: [piece] })
      index += 1
      continue
    }
    const run = pieces.slice(index, nextSame(pieces, index))
    const removed = run.filter(({ kind }) => kind === 'del').map(({ text }) => text)
    const added = run.filter(({ kind }) => kind === 'add').map(({ text }) => text)
    const compared = removed.map((text, at) => wordsOf(text, added[at]))
    for (const [at, text] of removed.entries()) {
      oldNumber += 1
      lines.push({ kind: 'del', number: oldNumber, pieces: without('add', compared[at] ?? [], text) })
    }
    for (const [at, text] of added.entries()) {
      newNumber += 1
      lines.push({ kind: 'add', number: newNumber, pieces: without('del', compared[at] ?? [], text) })
    }
    index += run.length
  }
  return lines
}

function nextSame(pieces: readonly Piece[], from: number): number {
  const found = pieces.findIndex((piece, index) => index >= from && piece.kind === 'same')
  return found === -1 ? pieces.length : found
}

/** Empty where the lines have too little in common: marking every word would say nothing. */
function wordsOf(before: string, after: string | undefined): Piece[] {
  if (after === undefined) return []
  const pieces = compare(splitWords(before), splitWords(after))
  const common = pieces.filter(({ kind }) => kind === 'same').reduce((sum, { text }) => sum + text.length, 0)
  return common * 4 < Math.min(before.length, after.length) ? [] : pieces
}

function without(kind: Piece['kind'], pieces: readonly Piece[], text: string): Piece[] {
  if (pieces.length === 0) return [{ kind: 'same', text }]
  const joined: Piece[] = []
  for (const piece of pieces) {
    if (piece.kind === kind) continue
    const last = joined.at(-1)
    if (last?.kind === piece.kind) last.text += piece.text
    else joined.push({ ...piece })
  }
  return joined
}

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
