import { compare } from '../agents/line-diff.ts'
import { severalLines } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { wrap } from '../output/wrap.ts'

/** Words around a change that show where it is. */
const CONTEXT = 6
/** An ellipsis saves nothing for so few words and spaces. */
const SHORT = 6

type Sign = ' ' | '-' | '+'

interface Run {
  sign: Sign
  words: string[]
}

/** Private characters that mark the ends of a change until the lines are broken: the colours would count as text. */
const MARKS = { '-': ['\ue000', '\ue001'], '+': ['\ue002', '\ue003'] } as const
const ANY_MARK = /[\ue000-\ue003]/g

/** A long text with what was removed and added, word by word. Equal words far from a change are left out. */
export function diffWords(
  before: string,
  after: string,
  width: number,
  { paint }: Pick<Style, 'paint'>,
): string[] {
  const runs = toRuns(clean(before), clean(after))
  const marked = runs
    .map(({ sign, words }, index) => {
      if (sign === ' ') return shorten(words, index === 0, index === runs.length - 1)
      const [open, close] = MARKS[sign]
      return `${open}${words.join('')}${close}`
    })
    .join('')
  // Two columns for each bracket, which has one mark.
  const lines = marked.split('\n').flatMap((line) => wrap(line, width - 4))
  let sign: Sign = ' '
  return lines.map((line) => {
    const parts = line.split(/(?=[\ue000\ue002])|(?<=[\ue001\ue003])/)
    return parts
      .map((part) => {
        if (part.startsWith('\ue000')) sign = '-'
        if (part.startsWith('\ue002')) sign = '+'
        const text = part.replaceAll(ANY_MARK, (mark) => BRACKETS[mark] ?? '')
        const painted = paint(text, sign === '-' ? 'red' : sign === '+' ? 'green' : undefined)
        if (/[\ue001\ue003]$/.test(part)) sign = ' '
        return painted
      })
      .join('')
  })
}

/** Not only colours: they do not reach a file, and not every reader. */
const BRACKETS: Record<string, string> = { '\ue000': '[-', '\ue001': '-]', '\ue002': '{+', '\ue003': '+}' }

const clean = (text: string) => severalLines(text.replaceAll(ANY_MARK, '\ufffd'))

/** Removed and added words that stand beside each other are one change. */
function toRuns(before: string, after: string): Run[] {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end))
  const runs: Run[] = [{ sign: ' ', words: a.slice(0, start) }]
  for (const [index, { sign, text }] of middle.entries()) {
    // A space between two changed words belongs to both.
    const isBetween = sign === ' ' && /^\s+$/.test(text) && middle[index + 1]?.sign !== ' '
    if (isBetween && runs.at(-1)?.sign !== ' ') {
      add(runs, '-', text)
      add(runs, '+', text)
    } else add(runs, sign, text)
  }
  runs.push({ sign: ' ', words: a.slice(a.length - end) })
  moveSpaces(runs)
  return runs.filter(({ words }) => words.length > 0)
}

/** A space that ends both what was removed and what was added is not part of the change. */
function moveSpaces(runs: Run[]): void {
  for (const [index, { sign, words }] of runs.entries()) {
    const [added, next] = [runs[index + 1], runs[index + 2]]
    const last = words.at(-1)
    const isShared = sign === '-' && added?.sign === '+' && last === added.words.at(-1)
    if (!isShared || last === undefined || next?.sign !== ' ') continue
    words.pop()
    added.words.pop()
    next.words.unshift(last)
  }
}

const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? []

function add(runs: Run[], sign: Sign, word: string): void {
  const [before, last] = [runs.at(-2), runs.at(-1)]
  if (last?.sign === sign) last.words.push(word)
  else if (sign === '-' && last?.sign === '+' && before?.sign === '-') before.words.push(word)
  else runs.push({ sign, words: [word] })
}

function shorten(words: string[], isFirst: boolean, isLast: boolean): string {
  const head = isFirst ? [] : words.slice(0, 2 * CONTEXT)
  const tail = isLast ? [] : words.slice(-2 * CONTEXT)
  if (head.length + tail.length + SHORT >= words.length) return words.join('')
  return `${head.join('').trimEnd()}${isFirst ? '' : ' '}…${isLast ? '' : ' '}${tail.join('').trimStart()}`
}
