import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTestNats } from './nats.ts'
import { startConsoleProcess } from './processes.ts'
import { until } from './until.ts'

/** A console as a process of its own that delivers events and mounts file-service.ts under /v1/files. */
export async function startConsoleWithFiles(serviceUrl: string, environment: Record<string, string> = {}) {
  const nats = await createTestNats()
  const folder = await mkdtemp(join(tmpdir(), 'console-with-files-'))
  const file = join(folder, 'services.json')
  const service = { name: 'files', tag: 'Files', url: serviceUrl, token: 'pass', prefixes: ['/v1/files'] }
  await writeFile(file, JSON.stringify({ services: [service] }))
  const running = await startConsoleProcess({
    ...{ LOG_LEVEL: 'error', SERVICES_FILE: file },
    ...{ ...nats.environment, ...environment },
  })
  const token = await running.token()
  await until('the service is mounted', async () => {
    const { status } = await fetch(`${running.url}/v1/files`, { headers: bearer(token) })
    return status === 200
  })
  return {
    ...running,
    [Symbol.asyncDispose]: async () => {
      await running.close()
      await nats.remove()
      await rm(folder, { recursive: true })
    },
  }
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
