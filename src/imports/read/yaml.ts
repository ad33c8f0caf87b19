import { Worker } from 'node:worker_threads'
import { MAX_IMPORT_ROWS } from '../../contract/imports.ts'
import { RequestValidationError } from '../../contract/validation-error.ts'
import type { ImportRow } from '../row.ts'
import { type Validation, valueError } from '../validation.ts'
import { toRow } from './to-row.ts'
import type { YamlJob, YamlRow } from './yaml-to-json.ts'

const MAX_YAML_BYTES = 1024 * 1024
const MAX_MS = 10_000
const LIMITS = { maxOldGenerationSizeMb: 512, stackSizeMb: 4 }

type Message = { rows: YamlRow[] } | { reason: string }

/** One at a time, so that YAML takes at most one processor. */
let last: Promise<undefined> = Promise.resolve(undefined)

/** The rows of a YAML sequence. The parser needs about a second for a megabyte, and longer for a hostile one: it runs in a thread of
 * its own with a time limit. */
export async function readYaml(
  text: string,
  rows: Validation,
  signal: AbortSignal,
): Promise<Iterable<ImportRow>> {
  if (text.length > MAX_YAML_BYTES)
    throw unreadable('is larger than 1 MiB: send JSON Lines, or several requests')
  const run = last.then(() => {
    signal.throwIfAborted()
    return runWorker(text, signal)
  })
  // Without its value, which may have secrets.
  const forget = () => undefined
  last = run.then(forget, forget)
  const message = await run
  if ('reason' in message) throw unreadable(message.reason)
  return parseRows(message.rows, rows)
}

/** One at a time, so that other requests get their turns in between. */
function* parseRows(yamlRows: readonly YamlRow[], rows: Validation): Generator<ImportRow> {
  for (const { json, line } of yamlRows) yield toRow(rows.parse(json), line)
}

async function runWorker(text: string, signal: AbortSignal): Promise<Message> {
  const url = new URL('./yaml-worker.ts', import.meta.url)
  // One more than allowed, which is refused: hundreds of thousands would keep the process busy for seconds.
  const workerData: YamlJob = { text, maxRows: MAX_IMPORT_ROWS + 1 }
  const worker = new Worker(url, { workerData, resourceLimits: LIMITS })
  const { promise, resolve } = Promise.withResolvers<Message>()
  const end = () =>
    resolve({ reason: 'takes too long to read as YAML: send JSON Lines, or several requests' })
  const timer = setTimeout(end, MAX_MS)
  signal.addEventListener('abort', end)
  worker.once('message', resolve)
  // Also when the thread runs out of memory.
  worker.once('error', end)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    await worker.terminate()
  }
}

function unreadable(reason: string): RequestValidationError {
  return new RequestValidationError([valueError(['body'], `the body ${reason}`)])
}
