import type { Random } from '../../scripts/seed/random.ts'

/** The ranges of addresses that are not public (RFC 6890 and its registry). */
export const BLOCKED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
export const BLOCKED_IPV6 = [
  '::/128',
  '::1/128',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** Public addresses, most of them beside a blocked range. */
export const PUBLIC_ADDRESSES = [
  ...[
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
  ],
  ...['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
  ...['192.0.3.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255'],
  ...['198.20.0.0', '198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
  ...[
    '2000::1',
    '2001:200::1',
    '2001:db7:ffff::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700::1111',
    '3fff:1000::1',
  ],
]

const IPV4_BITS = 32
const IPV6_BITS = 128

export const isIn = (cidr: string, address: string): boolean => {
  const { first, last, isV6 } = rangeOf(cidr)
  if (isV6 !== address.includes(':')) return false
  const value = isV6 ? ipv6Value(address) : ipv4Value(address)
  return value >= first && value <= last
}

/** Whether an address that was connected to is in a blocked range, also as an IPv4-mapped one. */
export const isBlocked = (address: string): boolean => {
  const mapped = address.includes(':') && ipv6Value(address) >> 32n === 0xffffn
  const plain = mapped ? ipv4Text(ipv6Value(address) & 0xffff_ffffn) : address
  return [...BLOCKED_IPV4, ...BLOCKED_IPV6].some((cidr) => isIn(cidr, plain))
}

/** The first and the last address of a range. */
export function edgesOf(cidr: string): string[] {
  const { first, last, isV6 } = rangeOf(cidr)
  return [...new Set([first, last])].map((value) => (isV6 ? ipv6Text(value) : ipv4Text(value)))
}

export function randomIn(cidr: string, random: Random): string {
  const { first, last, isV6 } = rangeOf(cidr)
  let value = 0n
  for (let part = 0; part < 5; part++) value = (value << 32n) | BigInt(Math.floor(random.next() * 2 ** 32))
  const chosen = first + (value % (last - first + 1n))
  return isV6 ? ipv6Text(chosen) : ipv4Text(chosen)
}

function rangeOf(cidr: string) {
  const [network = '', length = ''] = cidr.split('/')
  const isV6 = network.includes(':')
  const size = 1n << BigInt((isV6 ? IPV6_BITS : IPV4_BITS) - Number(length))
  const first = isV6 ? ipv6Value(network) : ipv4Value(network)
  return { isV6, first, last: first + size - 1n }
}

/** The ways to write an address as the host of a URL. */
export function spellingsOf(address: string): string[] {
  if (!address.includes(':')) return ipv4Spellings(address)
  const groups = groupsOf(ipv6Value(address)).map((group) => group.padStart(4, '0'))
  return [`[${address}]`, `[${groups.join(':')}]`, `[${groups.join(':').toUpperCase()}]`]
}

function ipv4Spellings(address: string): string[] {
  const value = ipv4Value(address)
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0] = bytes
  const hex = value.toString(16).padStart(8, '0')
  const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`
  return [
    address,
    `${address}.`,
    `${value}`,
    `0x${hex}`,
    `0X${hex.toUpperCase()}`,
    `0${value.toString(8)}`,
    bytes.map((byte) => `0x${byte.toString(16)}`).join('.'),
    bytes.map((byte) => `0${byte.toString(8)}`).join('.'),
    bytes.map((byte) => `000${byte.toString(8)}`).join('.'),
    `${a}.${value & 0xff_ffffn}`,
    `${a}.${b}.${value & 0xffffn}`,
    `0x${a.toString(16)}.0${b.toString(8)}.${value & 0xffffn}`,
    // Digits of other scripts, and encoded ones.
    address.replaceAll(/./g, (sign) => (sign === '.' ? '。' : String.fromCodePoint(0xff10 + Number(sign)))),
    address.replaceAll(/./g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
    `[::ffff:${address}]`,
    `[::ffff:${groups}]`,
    `[0:0:0:0:0:FFFF:${groups.toUpperCase()}]`,
  ]
}

/** IPv6 addresses that lead to an IPv4 address: compatible, translated, NAT64, 6to4, Teredo, ISATAP. */
export function embeddingsOf(address: string): string[] {
  const value = ipv4Value(address)
  const hex = (part: bigint) => part.toString(16).padStart(8, '0')
  const groups = (part: bigint) => `${hex(part).slice(0, 4)}:${hex(part).slice(4)}`
  return [
    `[::${groups(value)}]`,
    `[::ffff:0:${groups(value)}]`,
    `[64:ff9b::${groups(value)}]`,
    `[64:ff9b:1::${groups(value)}]`,
    `[2002:${groups(value)}::1]`,
    `[2001:0:101:101::${groups(value ^ 0xffff_ffffn)}]`,
    `[fe80::5efe:${groups(value)}]`,
  ]
}

function ipv4Value(address: string): bigint {
  return address.split('.').reduce((value, byte) => value * 256n + BigInt(byte), 0n)
}

function ipv4Text(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}

export function ipv6Value(address: string): bigint {
  // As URL writes it: an IPv4 address at the end becomes two groups.
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = '', after] = text.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const middle = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...middle, ...tail].reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n)
}

const groupsOf = (value: bigint) =>
  Array.from({ length: 8 }, (_, index) => ((value >> BigInt(16 * (7 - index))) & 0xffffn).toString(16))

const ipv6Text = (value: bigint) => new URL(`http://[${groupsOf(value).join(':')}]`).hostname.slice(1, -1)
