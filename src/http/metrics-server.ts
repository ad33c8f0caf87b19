import { createServer, type Server } from 'node:http'
import type { Registry } from 'prom-client'

/** Prometheus reads on a port of its own, so that figures never leave by the public door. */
export function createMetricsServer(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
}
