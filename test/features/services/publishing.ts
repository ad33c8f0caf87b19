import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import type { ServiceEntry } from '../../../src/config/services-file.ts'
import type { ServiceStatus } from '../../../src/features/services/schema.ts'
import { type Behind, startBehind } from '../../support/behind.ts'
import { type ConsoleOptions, startConsole, type TestConsole } from '../../support/console.ts'
import { signingEnvironment } from '../../support/signing.ts'
import { until } from '../../support/until.ts'

/** A service that publishes a document, which a test may change at any time. */
export interface PublishingService extends Behind {
  publish: (content: object | string) => void
  /** What it returns for all but its document. */
  respond: (status: number, body: string, contentType?: string) => void
  /** The `If-None-Match` of each request for its document. */
  polls: (string | undefined)[]
}

export async function startPublishing(content: object | string): Promise<PublishingService> {
  const behind = await startBehind()
  const polls: (string | undefined)[] = []
  let text = ''
  let given = { status: 200, body: '{}', contentType: 'application/json' }
  const publish = (next: object | string) => {
    text = typeof next === 'string' ? next : JSON.stringify(next)
  }
  publish(content)
  behind.behave((request, response) => {
    if (request.url !== '/openapi.json') {
      response.writeHead(given.status, { 'content-type': given.contentType }).end(given.body)
      return
    }
    const etag = `"${createHash('sha1').update(text).digest('hex')}"`
    polls.push(request.headers['if-none-match'])
    const isSame = request.headers['if-none-match'] === etag
    response.writeHead(isSame ? 304 : 200, { etag }).end(isSame ? undefined : text)
  })
  return {
    ...behind,
    polls,
    publish,
    respond: (status, body, contentType = 'application/json') => {
      given = { status, body, contentType }
    },
  }
}

/** The same for the tests of the calling suite: stopped after the last of them. */
export async function usePublishing(content: object | string): Promise<PublishingService> {
  const service = await startPublishing(content)
  after(() => service.stop())
  return service
}

export interface PollingConsole {
  running: TestConsole
  token: string
  status: (name: string) => Promise<ServiceStatus>
  /** Waits until a service is as described. */
  becomes: (name: string, isSo: (status: ServiceStatus) => boolean) => Promise<ServiceStatus>
  close: () => Promise<void>
}

/** A console with these services for the tests of the calling suite: closed after the last of them. */
export async function usePolling(
  entries: Record<string, Partial<ServiceEntry>>,
  options?: ConsoleOptions,
): Promise<PollingConsole> {
  const polling = await startPolling(entries, options)
  after(() => polling.close())
  return polling
}

/** A console with these services in its services file, as production starts it. */
export async function startPolling(
  entries: Record<string, Partial<ServiceEntry>>,
  options: ConsoleOptions = {},
): Promise<PollingConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'console-services-'))
  const file = join(folder, 'services.json')
  const services = Object.entries(entries).map(([name, entry]) => ({
    name,
    tag: 'Teams',
    token: 'pass',
    prefixes: [`/v1/${name}`],
    poll_seconds: 0.1,
    ...entry,
  }))
  writeFileSync(file, JSON.stringify({ services }))
  const environment = { ...signingEnvironment(), SERVICES_FILE: file, ...options.environment }
  const running = await startConsole({ ...options, environment })
  const { token } = await running.person()
  const status = async (name: string) => {
    const { body } = await running.request<{ results: ServiceStatus[] }>('GET', '/v1/services', { token })
    const found = body.results.find((one) => one.name === name)
    if (!found) throw new Error(`There is no service ${name}`)
    return found
  }
  return {
    running,
    token,
    status,
    becomes: async (name, isSo) => {
      await until(`${name} is as described`, async () => isSo(await status(name)))
      return status(name)
    },
    close: async () => {
      await running.close()
      rmSync(folder, { recursive: true })
    },
  }
}
