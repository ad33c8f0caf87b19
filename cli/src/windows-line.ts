/** Words as one line for cmd.exe. A word with a space or a character that it would read needs quotes. */
export const windowsLine = (words: readonly string[]): string =>
  words.map((word) => (/^[\w.:\\/-]+$/.test(word) ? word : `"${word}"`)).join(' ')
