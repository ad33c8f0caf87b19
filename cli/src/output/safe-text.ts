/** Control characters could move the cursor or change colours, and bidirectional ones could reorder a line: a name that
 * another user has chosen must not. */
// oxlint-disable-next-line no-control-regex -- these are the characters to remove
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Text of one line for a terminal. */
export const oneLine = (text: string): string =>
  text.replaceAll(/[\t\r\n]+/g, ' ').replaceAll(UNSAFE, '\ufffd')

/** Text of several lines for a terminal. */
export const severalLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\t', '  ').replaceAll(UNSAFE, '\ufffd'))
    .join('\n')
