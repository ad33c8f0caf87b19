import { diffWords as compareWords } from 'diff'
import { severalLines } from '../output/safe-text.ts'
import type { Style } from '../output/style.ts'
import { wrap } from '../output/wrap.ts'

/** Words around a change that show where it is. */
const CONTEXT = 6
/** An ellipsis saves nothing for so few words and spaces. */
const SHORT = 6
/** With more changes the texts are shown one after the other. */
const MAX_CHANGES = 1_000

/** Private characters that mark the ends of a change until the lines are broken: the colours would count as text. */
const MARKS = { '-': ['\ue000', '\ue001'], '+': ['\ue002', '\ue003'] } as const
const ANY_MARK = /[\ue000-\ue003]/g

/** Words of every script, also of those that put no spaces between them. */
const WORDS = new Intl.Segmenter(undefined, { granularity: 'word' })

/** A long text with what was removed and added, word by word. Equal text far from a change is left out. */
export function diffWords(
  before: string,
  after: string,
  width: number,
  { paint }: Pick<Style, 'paint'>,
): string[] {
  const marked = markChanges(clean(before), clean(after))
  // Two columns for each bracket, which has one mark.
  const lines = marked.split('\n').flatMap((line) => wrap(line, width - 4))
  let sign: ' ' | '-' | '+' = ' '
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

const mark = (sign: '-' | '+', text: string) => `${MARKS[sign][0]}${text}${MARKS[sign][1]}`

function markChanges(before: string, after: string): string {
  const changes = compareWords(before, after, { intlSegmenter: WORDS, maxEditLength: MAX_CHANGES })
  if (changes === undefined) return mark('-', before) + mark('+', after)
  return changes
    .map(({ value, added, removed }, index) => {
      if (removed) return mark('-', value)
      if (added) return mark('+', value)
      return shorten(value, index === 0, index === changes.length - 1)
    })
    .join('')
}

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const words = text.match(/\s+|\S+/g) ?? []
  const head = isFirst ? [] : words.slice(0, 2 * CONTEXT)
  const tail = isLast ? [] : words.slice(-2 * CONTEXT)
  if (head.length + tail.length + SHORT >= words.length) return text
  return `${head.join('').trimEnd()}${isFirst ? '' : ' '}…${isLast ? '' : ' '}${tail.join('').trimStart()}`
}
