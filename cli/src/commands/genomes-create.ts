import { readObject, readText, requireFile } from '../agents/read-file.ts'
import type { Run } from '../context.ts'
import { UsageError } from '../failure.ts'
import { rawResult, sendRaw } from '../raw-request.ts'

export const run: Run = async (context) => {
  const { io, options, connect, timeoutMs } = context
  const path = requireFile(options.text('file'))
  const text = await readText(path, io)
  const stdin = { ...io.stdin, readAll: async () => text }
  // JSON is sent as it is: numbers keep their digits.
  const genome = await readObject('-', { stdin })
  const body = isJson(text) ? text : JSON.stringify(genome)
  const request = { method: 'POST', path: '/v1/genomes/', body, headers: {} }
  const response = await sendRaw(await connect(), request, { signal: io.signal, timeoutMs })
  if (response.data === undefined) throw new UsageError('The response is not JSON.')
  return rawResult(response)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
