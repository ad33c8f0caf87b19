const NEWLINE = 0x0a

/** The lines of a stream of bytes. Only a newline ends one: `node:readline` also splits at U+2028, which a JSON text may contain. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  // Joined once for each line: a long one arrives in many chunks.
  let begun: Uint8Array[] = []
  const take = (end: Uint8Array) => {
    const line = Buffer.concat([...begun, end]).toString('utf8')
    begun = []
    return line
  }
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield take(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) yield take(new Uint8Array())
}
