import { parseHttpUrl, parseRatio } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'
import type { TracingSettings } from '../platform/tracing/start.ts'

export function readTracing({ read, readOptional }: Reader): TracingSettings | undefined {
  const url = readOptional('TRACES_URL', parseHttpUrl)
  const headers = read('TRACES_HEADERS', parseHeaders, {})
  const sampleRatio = read('TRACES_SAMPLE_RATIO', parseRatio, 0.01)
  return url === undefined ? undefined : { url, headers, sampleRatio }
}

/** An error names a header by its position: its text may be a token. */
function parseHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text.split(',').map((pair, index) => {
      const [, name, value] =
        /^\s*([\w-]+)\s*=\s*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\s*$/.exec(pair) ?? []
      if (name === undefined || value === undefined)
        throw new Error(`must be name=value,name=value; pair ${index + 1} is invalid`)
      return [name, value]
    }),
  )
}
