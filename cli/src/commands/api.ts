import { readText } from '../agents/read-file.ts'
import type { Run } from '../context.ts'
import { Failure, UsageError } from '../failure.ts'
import { rawResult, sendRaw } from '../raw-request.ts'

export const run: Run = async (context) => {
  const { io, options, format, print, connect, timeoutMs, args } = context
  const [method = '', path = ''] = args
  const file = options.text('file')
  if (file !== undefined && method === 'GET') throw new UsageError('A GET has no body.')
  const headers = Object.fromEntries(options.all('header').map(readHeader))
  const body = file === undefined ? undefined : await readText(file, io)
  const request = { method, path, headers, body }
  const response = await sendRaw(await connect(), request, { signal: io.signal, timeoutMs })
  if (format === 'json' || format === 'table') {
    // Not formatted again: that would change numbers.
    print(response.text === '' || response.text.endsWith('\n') ? response.text : `${response.text}\n`)
    return undefined
  }
  if (response.data === undefined) throw new Failure('The response is not JSON. Leave out --output.')
  return rawResult(response)
}

function readHeader(text: string): [string, string] {
  const [, name = '', value = ''] = /^([\w-]+):\s*([\t\x20-\x7e]*)$/.exec(text) ?? []
  if (name === '') throw new UsageError(`${text} is not a header, such as if-match:"3".`)
  return [name.toLowerCase(), value]
}
