import { BlockList, type IPVersion, isIPv6, type SocketAddress } from 'node:net'

/** Cloud providers give credentials of the machine to every process that connects to these. */
const METADATA_CIDRS = [
  '169.254.169.254/32',
  '168.63.129.16/32', // Azure
  '100.100.100.200/32', // Alibaba Cloud
  '192.0.0.192/32', // Oracle Cloud
  'fd00:ec2::254/128', // AWS
  'fd20:ce::254/128', // Google Cloud
  'fd00:c1::a9fe:a9fe/128', // Oracle Cloud
]

/** Networks of companies. */
const PRIVATE_CIDRS = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7']

/** This machine, its link, groups of machines, documentation, and addresses that contain another address (NAT64, 6to4,
 * Teredo). */
const SPECIAL_CIDRS = [
  ...METADATA_CIDRS,
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
]

/** Only 2000::/3 is assigned to public machines. Between these ranges lie 2000::/3, fc00::/7 and the IPv4-mapped addresses
 * (::ffff:0:0/96), which the rules for IPv4 decide. */
const SPECIAL_RANGES = [
  ['::', '::fffe:ffff:ffff'],
  ['::1:0:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const

const metadata = toList(METADATA_CIDRS)

/** Node checks it with the address that it is about to connect to. */
class AddressGuard extends BlockList {
  readonly #allowed: BlockList

  constructor(allowed: BlockList) {
    super()
    this.#allowed = allowed
  }

  override check(address: string | SocketAddress, family?: IPVersion): boolean {
    // The type has two signatures; Node passes on what it gets.
    const text = address as string
    if (metadata.check(text, family)) return true
    return super.check(text, family) && !this.#allowed.check(text, family)
  }
}

/** Blocks every address that is not public, except those in the given ranges. Services with the credentials of the machine
 * stay blocked. `mayBePrivate` does not block the networks of companies. */
export function blockAddresses(allowedCidrs: readonly string[], mayBePrivate: boolean): BlockList {
  const guard = addCidrs(new AddressGuard(toList(allowedCidrs)), SPECIAL_CIDRS)
  for (const [start, end] of SPECIAL_RANGES) guard.addRange(start, end, 'ipv6')
  return mayBePrivate ? guard : addCidrs(guard, PRIVATE_CIDRS)
}

export function toList(cidrs: readonly string[]): BlockList {
  return addCidrs(new BlockList(), cidrs)
}

function addCidrs(list: BlockList, cidrs: readonly string[]): BlockList {
  for (const cidr of cidrs) {
    const [network = '', length] = cidr.split('/')
    list.addSubnet(network, Number(length), isIPv6(network) ? 'ipv6' : 'ipv4')
  }
  return list
}
