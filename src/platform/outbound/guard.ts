import { type BlockList, isIP, isIPv6 } from 'node:net'
import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { blockAddresses } from './addresses.ts'
import { createConnector } from './connector.ts'
import { createLookup } from './lookup.ts'

export interface GuardPolicy {
  /** Ranges of addresses that are not public and may be connected to, such as `10.1.0.0/16`. */
  allowedCidrs?: readonly string[]
  /** These hosts, and all hosts below them, may have addresses of private networks. They are reached without the proxy. */
  allowedHosts?: readonly string[]
  /** Resolves the names of all other hosts and connects to them, so that the proxy has to check their addresses. */
  proxyUrl?: string | undefined
  /** Those of the system when absent. */
  dnsServers?: readonly string[]
}

/** Returns what opens the connections of one fetch. They are closed when its signal is aborted. */
export function createGuard(policy: GuardPolicy): (signal: AbortSignal) => (url: URL) => Dispatcher {
  const { allowedCidrs = [], allowedHosts = [], proxyUrl, dnsServers } = policy
  const nonPublic = { blockList: blockAddresses(allowedCidrs, false), lookup: createLookup(dnsServers) }
  // The operator knows these hosts: they may be in the hosts file.
  const known = { ...(dnsServers ? nonPublic : {}), blockList: blockAddresses(allowedCidrs, true) }

  const isAllowed = (hostname: string) => {
    const name = hostname.replace(/\.$/, '')
    return allowedHosts.some((host) => name === host || name.endsWith(`.${host}`))
  }

  return (signal) => (url) => {
    if (isAllowed(url.hostname)) return new Agent({ connect: createConnector({ ...known, signal }) })
    if (proxyUrl === undefined) return new Agent({ connect: createConnector({ ...nonPublic, signal }) })
    refuseBlocked(url, nonPublic.blockList)
    return createProxy(proxyUrl, signal)
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
    ...{ uri, proxyTunnel: true, allowH2: false },
    proxyTls: { ...noTimeout, signal },
    requestTls: { ...noTimeout, maxCachedSessions: 0 },
  })
}
