import { eastAsianWidth } from 'get-east-asian-width'

let segmenter: Intl.Segmenter | undefined
/** Made for the first text that needs it: most have plain characters only, and it takes milliseconds. */
function graphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}
const PLAIN = /^[\u0020-\u007e]*$/
const EMOJI = /^\p{RGI_Emoji}$/v
const INVISIBLE = /^[\p{Mark}\p{Format}]+$/u

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const { segment } of graphemes(text)) width += widthOfGrapheme(segment)
  return width
}

function widthOfGrapheme(segment: string): number {
  if (INVISIBLE.test(segment)) return 0
  if (EMOJI.test(segment)) return 2
  return eastAsianWidth(segment.codePointAt(0) ?? 0)
}

/** Cuts a text that is wider than `width`, with an ellipsis in the last column. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width < 1) return ''
  let kept = ''
  let taken = 0
  for (const { segment } of graphemes(text)) {
    const next = taken + widthOfGrapheme(segment)
    if (next > width - 1) break
    kept += segment
    taken = next
  }
  return `${kept.trimEnd()}…`
}

/** The parts of a text, none wider than `width`. */
export function split(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const parts: string[] = []
  let part = ''
  let taken = 0
  for (const { segment } of graphemes(text)) {
    const next = widthOfGrapheme(segment)
    if (part !== '' && taken + next > width) {
      parts.push(part)
      part = ''
      taken = 0
    }
    part += segment
    taken += next
  }
  return [...parts, part]
}

/** Fills a text with spaces up to `width`. */
export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))
