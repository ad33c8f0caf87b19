import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv4, isIPv6 } from 'node:net'
import { onFreePort } from '../../dev/free-port.ts'
import { ipv6Value } from './addresses.ts'

/** A DNS server on this machine that knows the names of a test. */
export interface DnsServer {
  /** For `dns.setServers`. */
  address: string
  /** The names it was asked for. */
  asked: string[]
  /** Gives a name its addresses. With several lists, each question gets the next one. */
  define: (name: string, ...turns: string[][]) => void
  close: () => Promise<void>
}

const TYPES = [
  { type: 1, isOf: isIPv4, encode: (address: string) => Buffer.from(address.split('.').map(Number)) },
  { type: 28, isOf: isIPv6, encode: (address: string) => toBytes(ipv6Value(address)) },
]

export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, string[][]>()
  const asked: string[] = []
  const turns = new Map<string, number>()

  /** RFC 1035, section 4: a header of 12 bytes, the question, the answers. */
  const respond = (query: Buffer): Buffer => {
    const { name, end } = readName(query)
    const type = query.readUInt16BE(end)
    asked.push(name)
    const lists = names.get(name)
    const question = query.subarray(12, end + 4)
    const turn = turns.get(`${name} ${type}`) ?? 0
    turns.set(`${name} ${type}`, turn + 1)
    const { isOf, encode } = TYPES.find((each) => each.type === type) ?? {}
    const addresses = (lists?.[turn % lists.length] ?? []).filter((address) => isOf?.(address))
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(lists ? 0x8180 : 0x8183, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    const answers = addresses.map((address) => {
      const data = encode?.(address) ?? Buffer.alloc(0)
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt16BE(data.length, 10)
      return Buffer.concat([record, data])
    })
    return Buffer.concat([header, question, ...answers])
  }

  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => socket.send(respond(query), port, address))
  const port = await onFreePort(async (free) => {
    socket.bind(free, '127.0.0.1')
    await once(socket, 'listening')
  })
  return {
    address: `127.0.0.1:${port}`,
    asked,
    define: (name, ...lists) => void names.set(name, lists),
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

const toBytes = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex')
