import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'
import { validateDocument } from '../../src/features/services/document/read.ts'
import { startConsole } from '../support/console.ts'
import { type LargeDocument, largeDocuments } from '../support/large-documents.ts'
import { SLACK } from '../support/timing.ts'
import { until } from '../support/until.ts'

const WITHIN_MS = 2_000

describe('many large documents', () => {
  it('of 2,000 operations together are mounted in under 2 s, and are one valid document', async (t) => {
    const documents = largeDocuments()
    const operations = documents.flatMap((document) => document.operations)
    assert.equal(operations.length, 2_000)
    const folder = await mkdtemp(join(tmpdir(), 'console-mounts-'))
    const behind = await Promise.all(documents.map(serve))
    const file = join(folder, 'services.json')
    const services = documents.map(({ name, tag, prefix }, n) => ({
      ...{ name, tag, token: 'pass', prefixes: [prefix], url: behind[n]?.url },
    }))
    await writeFile(file, JSON.stringify({ services }))

    // The time of a start without services: its database, issuer and evolution service.
    const bareAt = performance.now()
    await (await startConsole()).close()
    const startedAt = performance.now()
    const running = await startConsole({ environment: { SERVICES_FILE: file } })
    try {
      const { token } = await running.person()
      const left = new Set(documents.map((document) => document.operations[0]?.replace('GET ', '') ?? ''))
      await until(
        'all documents are mounted',
        async () => {
          // One at a time: requests for all of them would take processor time from the mounting.
          for (const path of left) {
            const { status } = await running.request('GET', path, { token })
            if (status !== 200) return false
            left.delete(path)
          }
          return true
        },
        60_000,
      )
      const msSince = () => performance.now() - startedAt - (startedAt - bareAt)
      const tookMs = msSince()
      let text = ''
      let etag = ''
      await until(
        'the document declares them all',
        async () => {
          const response = await fetch(`${running.url}/openapi.json`)
          etag = response.headers.get('etag') ?? ''
          text = await response.text()
          const { paths } = JSON.parse(text) as { paths: Record<string, object> }
          return operations.every((operation) => {
            const [method = '', path = ''] = operation.split(' ')
            return method.toLowerCase() in (paths[path] ?? {})
          })
        },
        60_000,
      )
      t.diagnostic(
        `${operations.length} operations in ${tookMs.toFixed(0)} ms, ` +
          `their document of ${text.length} characters in ${msSince().toFixed(0)} ms`,
      )
      assert.ok(tookMs < WITHIN_MS * SLACK, `${tookMs} ms`)

      const again = await fetch(`${running.url}/openapi.json`, { headers: { 'if-none-match': etag } })
      assert.equal(again.status, 304)
      validateDocument(JSON.parse(text))
    } finally {
      await running.close()
      await Promise.all(behind.map(({ close }) => close()))
      await rm(folder, { recursive: true })
    }
  })
})

/** A service that publishes a document and returns an empty object for all else. */
async function serve({ text }: LargeDocument) {
  const server = createServer(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(url === '/openapi.json' ? text : '{}')
  })
  const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
  return { url: `http://127.0.0.1:${port}`, close: () => stopListening(server) }
}
