import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onFreePort } from '../../dev/free-port.ts'
import { listen, stopListening } from '../../dev/http-service.ts'

/** A request that a service has received, and would send to its agent. */
export interface AgentRequest {
  service: string
  /** When its caller sent it, and when the service got it, by `performance.now()`. */
  sentAt: number
  receivedAt: number
}

export interface AgentServices {
  /** For SERVICES_FILE. */
  file: string
  received: AgentRequest[]
  close: () => Promise<void>
}

/** Services that call an agent once for each request, and record it. */
export async function startAgentServices(priorities: Record<string, string>): Promise<AgentServices> {
  const received: AgentRequest[] = []
  const services = await Promise.all(
    Object.entries(priorities).map(async ([name, priority]) => {
      const document = JSON.stringify(documentOf(name))
      const server = createServer((request, response) => {
        response.setHeader('content-type', 'application/json')
        if (request.url === '/openapi.json') return response.end(document)
        const sentAt = Number(new URL(request.url ?? '', 'http://service').searchParams.get('sent'))
        received.push({ service: name, sentAt, receivedAt: performance.now() })
        return response.end('{}')
      })
      const port = await onFreePort((free) => listen(server, free, '127.0.0.1'))
      const entry = {
        ...{ name, tag: name, url: `http://127.0.0.1:${port}`, token: 'pass', prefixes: [`/v1/${name}`] },
        ...{ budget_priority: priority, deadline_ms: 60_000 },
      }
      return { server, entry }
    }),
  )
  const folder = await mkdtemp(join(tmpdir(), 'console-agent-services-'))
  const file = join(folder, 'services.json')
  await writeFile(file, JSON.stringify({ services: services.map(({ entry }) => entry) }))
  return {
    file,
    received,
    close: async () => {
      await Promise.all(services.map(({ server }) => stopListening(server)))
      await rm(folder, { recursive: true })
    },
  }
}

function documentOf(name: string): object {
  const parameter = (place: string, id: string) => ({ in: place, name: id, schema: { type: 'string' } })
  return {
    openapi: '3.1.0',
    info: { title: name, version: '1.0.0' },
    paths: {
      [`/v1/${name}/{agent_id}`]: {
        get: {
          'x-console-agent': { in: 'path', name: 'agent_id' },
          parameters: [{ ...parameter('path', 'agent_id'), required: true }, parameter('query', 'sent')],
          responses: { 200: { description: 'The answer of the agent' } },
        },
      },
    },
  }
}
