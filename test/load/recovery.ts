import type { FloodRequest } from '../support/flood.ts'
import { formatRequest, RawClient } from '../support/raw-client.ts'

const WINDOW_MS = 500
const MAX_RESPONSE_MS = 250
const PATIENCE_MS = 60_000

/** Milliseconds until half a second begins in which each request succeeds in time. */
export async function measureRecovery(url: string, requests: FloodRequest[]): Promise<number> {
  const client = new RawClient(url)
  const startedAt = performance.now()
  let cleanSince = startedAt
  for (let n = 0; performance.now() - cleanSince < WINDOW_MS; n++) {
    const sentAt = performance.now()
    const { status } = await client.send(formatRequest(requests[n % requests.length] as FloodRequest, n))
    const now = performance.now()
    if (status !== 200 || now - sentAt > MAX_RESPONSE_MS) cleanSince = now
    if (now - startedAt > PATIENCE_MS) break
  }
  client.close()
  return cleanSince - startedAt
}
