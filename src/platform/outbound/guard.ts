import { Resolver } from 'node:dns/promises'
import { BlockList, type IPVersion, isIP, isIPv6, type LookupFunction, type SocketAddress } from 'node:net'
import { callbackify } from 'node:util'
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici'

/** What the console may fetch for callers, who choose the URLs. Decided by the operator, never by a team. */
export interface OutboundPolicy {
  /** In addition to 443 and 80. */
  allowedPorts?: readonly number[]
  allowsHttp?: boolean
  /** Ranges of addresses that are not public and may be connected to, such as `10.1.0.0/16`. */
  allowedCidrs?: readonly string[]
  /** These hosts, and all hosts below them, may have addresses of private networks. No proxy is used for them. */
  allowedHosts?: readonly string[]
  /** Resolves the names of all other hosts and connects to them, so that the proxy has to check their addresses. */
  proxyUrl?: string | undefined
  /** Those of the system when absent. */
  dnsServers?: readonly string[]
}

/** Keeps the fetches of callers to what the policy allows. */
export class OutboundGuard {
  readonly #policy: OutboundPolicy
  /** For hosts that may have only public addresses, and for the hosts that the operator names. */
  readonly #nonPublic: Omit<ConnectorOptions, 'signal'> & { lookup: LookupFunction }
  readonly #known: Omit<ConnectorOptions, 'signal'>

  constructor(policy: OutboundPolicy) {
    const { allowedCidrs = [], dnsServers } = policy
    const lookup = createLookup(dnsServers)
    this.#policy = policy
    this.#nonPublic = { blockList: blockAddresses(allowedCidrs, false), lookup }
    // The operator knows these hosts: they may be in the hosts file.
    this.#known = { blockList: blockAddresses(allowedCidrs, true), ...(dnsServers ? { lookup } : {}) }
  }

  /** Parses a URL, or a redirect from one. Throws an OutboundError if it may not be fetched. */
  checkUrl(text: string, from?: URL): URL {
    const url = URL.parse(text, from?.href)
    const fault = this.#findFault(url)
    if (!url || fault !== undefined) {
      const place = from ? `a redirect from ${from.origin}` : 'the URL'
      throw new OutboundError('invalid_url', fault ?? '', `${fault} It is ${place}.`)
    }
    url.hash = ''
    return url
  }

  /** Opens the connections to a URL. They are closed when the signal is aborted. */
  connectTo(url: URL, signal: AbortSignal): Dispatcher {
    const { proxyUrl } = this.#policy
    if (this.#isKnown(url)) return new Agent({ connect: createConnector({ ...this.#known, signal }) })
    if (proxyUrl === undefined) return new Agent({ connect: createConnector({ ...this.#nonPublic, signal }) })
    refuseBlocked(url, this.#nonPublic.blockList)
    return createProxy(proxyUrl, signal)
  }

  #findFault(url: URL | null): string | undefined {
    const { allowedPorts = [], allowsHttp = false } = this.#policy
    if (!url) return 'The URL is not valid.'
    const protocols = allowsHttp ? ['https:', 'http:'] : ['https:']
    if (!protocols.includes(url.protocol))
      return `The URL must start with ${protocols.map((name) => `${name}//`).join(' or ')}.`
    if (url.username !== '' || url.password !== '') return 'The URL must not have a user name or a password.'
    const isAllowed = ['', '443', '80', ...allowedPorts.map(String)].includes(url.port)
    return isAllowed ? undefined : 'The port of the URL is not allowed.'
  }

  #isKnown({ hostname }: URL): boolean {
    const { allowedHosts = [] } = this.#policy
    const name = hostname.replace(/\.$/, '')
    return allowedHosts.some((host) => name === host || name.endsWith(`.${host}`))
  }
}

/** A URL may have an address in place of a name. */
function refuseBlocked({ hostname }: URL, blockList: BlockList): void {
  const host = hostname.replaceAll(/[[\]]/g, '')
  if (isIP(host) !== 0 && blockList.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')) {
    throw new Error(`${host} is blocked`)
  }
}

/** Makes a tunnel also for http, so that a refusal of the proxy cannot be taken for a response of the host. */
function createProxy(uri: string, signal: AbortSignal): ProxyAgent {
  const noTimeout = { timeout: 0, allowH2: false }
  return new ProxyAgent({
    uri,
    proxyTunnel: true,
    allowH2: false,
    proxyTls: { ...noTimeout, signal },
    requestTls: { ...noTimeout, maxCachedSessions: 0 },
  })
}

export interface ConnectorOptions {
  blockList: BlockList
  /** The resolver of the system when absent. */
  lookup?: LookupFunction
  /** Closes the connection, also while it is being made. */
  signal: AbortSignal
}

/** The signal limits the time. */
const NO_TIMEOUT = { timeout: 0, allowH2: false }

/** Connects to no address in the block list. Node compares the address itself, after DNS, so that a name cannot change
 * between the check and the connection. `tls.connect()` ignores the option `blockList`: TLS starts on a connection that
 * was made without it. */
function createConnector(options: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({ ...NO_TIMEOUT, ...options })
  const startTls = buildConnector({ ...NO_TIMEOUT, maxCachedSessions: 0 })

  return (target, callback) => {
    const { hostname, protocol } = target
    const usesTls = protocol === 'https:'
    const port = target.port || (usesTls ? '443' : '80')
    connect({ hostname, port, protocol: 'http:' }, (...[error, socket]) => {
      if (error) callback(error, null)
      else if (usesTls) startTls({ ...target, httpSocket: socket }, callback)
      else callback(null, socket)
    })
  }
}

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

/** Only 2000::/3 is assigned to public machines. Between these ranges lie 2000::/3, fc00::/7 and the IPv4-mapped
 * addresses (::ffff:0:0/96), which the rules for IPv4 decide. */
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

/** Blocks every address that is not public, except those in the given ranges. Services with the credentials of the
 * machine stay blocked. `mayBePrivate` does not block the networks of companies. */
function blockAddresses(allowedCidrs: readonly string[], mayBePrivate: boolean): BlockList {
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

/** One try, and a second one before the time limit of a fetch. */
const RESOLVER_OPTIONS = { timeout: 1_500, tries: 2 }

/** Resolves the names that callers choose. `dns.lookup` would do it in two threads that the whole process shares: a few
 * names with slow servers would keep every other connection of the console waiting. This resolver uses no threads, but
 * also no hosts file and no search domains. */
function createLookup(servers: readonly string[] | undefined): LookupFunction {
  const resolver = new Resolver(RESOLVER_OPTIONS)
  if (servers) resolver.setServers(servers)

  const resolve = async (hostname: string) => {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = [...toAddresses(ipv4, 4), ...toAddresses(ipv6, 6)]
    if (addresses.length > 0) return addresses
    throw ipv4.status === 'rejected' ? ipv4.reason : new Error(`${hostname} has no address`)
  }

  const resolveThen = callbackify(resolve)
  return (hostname, { all }, callback) =>
    resolveThen(hostname, (error, addresses) => {
      if (error || all) callback(error, addresses)
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
}

function toAddresses(result: PromiseSettledResult<string[]>, family: 4 | 6) {
  return result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
}

export type OutboundReason =
  | 'invalid_url'
  | 'unreachable'
  | 'too_large'
  | 'too_many_redirects'
  | 'not_success'

/** Why a document cannot be fetched. The message may be shown to the caller. It is the same for an address that is
 * blocked, refuses the connection or does not respond: a caller must not learn what the console's network contains. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly reason: OutboundReason
  /** The true cause, for the server log and the audit log. Never shown to the caller. */
  readonly detail: string

  constructor(reason: OutboundReason, message: string, detail: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
    this.detail = detail
  }
}

/** A certificate can have many names, and the error lists them. */
const MAX_DETAIL = 500

/** For every error below HTTP: DNS, a blocked address, the connection, TLS, the time limit. */
export function unreachable(error: unknown): OutboundError {
  const detail = describe(error).slice(0, MAX_DETAIL)
  return new OutboundError('unreachable', 'The URL could not be reached.', detail, { cause: error })
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof AggregateError) return error.errors.map(describe).join('; ')
  // `fetch` wraps the error of the connection.
  return error.cause === undefined ? error.message : describe(error.cause)
}
