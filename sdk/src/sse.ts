export interface ServerSentEvent {
  /** The last id that the stream has sent. */
  id: string | undefined
  /** Undefined: the stream sent a position, or only a comment, without an event. */
  data: string | undefined
}

/** Parses `text/event-stream`. An event that breaks off is left out. */
export async function* serverSentEvents(
  lines: AsyncIterable<string>,
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let id: string | undefined
  let data: string[] = []
  for await (const line of lines) {
    if (line === '') {
      yield { id, data: data.length === 0 ? undefined : data.join('\n') }
      data = []
      continue
    }
    const [, name, value = ''] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    else if (name === 'id') id = value
  }
}
