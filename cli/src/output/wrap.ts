import { split, widthOf } from './width.ts'

/** Breaks a line at spaces, and keeps its indentation. A word that is wider than `width` is broken too: Chinese and Japanese
 * have no spaces. */
export function wrap(text: string, width: number): string[] {
  if (widthOf(text) <= width) return [text]
  const words = text.trimStart()
  const indent = text.slice(0, Math.min(text.length - words.length, Math.floor(width / 2)))
  const room = width - indent.length
  return joinWords(
    words.split(' ').flatMap((word) => split(word, room)),
    room,
  ).map((part) => `${indent}${part}`)
}

/** Breaks the lines of a message at spaces, and keeps their indentation. A command stays whole, from the name of the program
 * to the end of the line, so that it can be copied. Undefined `width`: nothing is broken. */
export function wrapMessage(text: string, width: number | undefined): string {
  if (width === undefined) return text
  return text
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', words = '', command] = /^( *)(.*?)(?: (agent-console .*))?$/.exec(line) ?? []
      const all = [...words.split(' '), ...(command === undefined ? [] : [command])]
      return joinWords(all, width - indent.length).map((part) => `${indent}${part}`)
    })
    .join('\n')
}

function joinWords(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of words) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
