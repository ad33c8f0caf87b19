import { once } from 'node:events'
import { createServer } from 'node:net'
import { createRandom } from '../../scripts/seed/random.ts'
import { OutboundClient, type OutboundPolicy } from '../../src/platform/outbound/client.ts'
import { BLOCKED_IPV4, BLOCKED_IPV6, isBlocked } from '../support/addresses.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { ALLOWED_PORT, createAttacks } from './outbound-urls.ts'

/** What arrived in a run. */
export interface Observed {
  /** Connections to addresses that are not public. */
  blocked: string[]
  /** Connections to other addresses. */
  public: number
  /** Fetches that returned a document. */
  documents: number
}

const CONCURRENCY = 16
const [count = 0, seed = 0] = process.argv.slice(2).map(Number)

// In this network namespace every address leads to this machine.
const dns = await startDnsServer()
const { redirects, attack } = createAttacks(createRandom(seed), dns)
const urls = Array.from({ length: count }, () => attack())
let accepted: string[] = []
const server = () =>
  createServer((socket) => {
    accepted.push(socket.localAddress ?? '')
    socket.on('error', () => {})
    socket.once('data', (data) => {
      const [, index] = /^GET \/to\/(\d+) /.exec(data.toString('latin1')) ?? []
      const location = index === undefined ? undefined : redirects[Number(index)]
      const head =
        location === undefined ? 'HTTP/1.1 200 OK' : `HTTP/1.1 302 Found\r\nlocation: ${encodeURI(location)}`
      socket.end(`${head}\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}`)
    })
  })
for (const port of [80, 443, ALLOWED_PORT]) await once(server().listen(port, '::'), 'listening')

async function observe(policy: OutboundPolicy): Promise<Observed> {
  accepted = []
  const client = new OutboundClient({
    ...{ allowsHttp: true, allowedPorts: [ALLOWED_PORT], dnsServers: [dns.address] },
    ...policy,
  })
  let documents = 0
  const waiting = urls.entries()
  const work = async () => {
    for (const [index, url] of waiting) {
      await client.get(url, { teamId: `team ${index}` }).then(
        () => (documents += 1),
        () => {},
      )
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  const blocked = accepted.filter(isBlocked)
  return { blocked: [...new Set(blocked)], public: accepted.length - blocked.length, documents }
}

const guarded = await observe({})
// The same URLs do lead there if the policy lets them.
const open = await observe({ allowedCidrs: [...BLOCKED_IPV4, ...BLOCKED_IPV6] })
process.stdout.write(JSON.stringify({ guarded, open }), () => process.exit())
