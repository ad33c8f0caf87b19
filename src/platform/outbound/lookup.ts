import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { callbackify } from 'node:util'

/** One try, and a second one before the time limit of a fetch. */
const RESOLVER_OPTIONS = { timeout: 1_500, tries: 2 }

/** Resolves the names that callers choose. `dns.lookup` would do it in two threads that the whole process shares: a few names
 * with slow servers would keep every other connection of the console waiting. This resolver uses no threads, but also no
 * hosts file and no search domains. */
export function createLookup(servers: readonly string[] | undefined): LookupFunction {
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
