import type { Random } from '../../scripts/seed/random.ts'
import {
  BLOCKED_IPV4,
  BLOCKED_IPV6,
  embeddingsOf,
  PUBLIC_ADDRESSES,
  randomIn,
  spellingsOf,
} from '../support/addresses.ts'
import type { DnsServer } from '../support/dns-server.ts'

/** A port beside 80 and 443 that the policy allows. */
export const ALLOWED_PORT = 8443

/** URLs that try to lead to an address which is not public: by an address, a name, or redirects from a public one. The server
 * of a public address redirects `/to/3` to `redirects[3]`. */
export function createAttacks(random: Random, dns: DnsServer) {
  const redirects: string[] = []
  let names = 0

  const blocked = () =>
    random.next() < 0.6
      ? randomIn(random.pick(BLOCKED_IPV4), random)
      : randomIn(random.pick(BLOCKED_IPV6), random)
  const some = (address: () => string) => Array.from({ length: 1 + Math.floor(random.next() * 3) }, address)
  const written = (address: string) =>
    random.pick(address.includes(':') || random.next() < 0.7 ? spellingsOf(address) : embeddingsOf(address))
  const named = (...turns: string[][]) => {
    const name = `n${names++}.test`
    dns.define(name, ...turns)
    return random.pick([name, name.toUpperCase(), `${name}.`])
  }
  const open = () => random.pick(PUBLIC_ADDRESSES)

  const hosts = {
    address: () => written(blocked()),
    name: () => named(some(blocked)),
    mixed: () => named([...some(blocked), ...some(open), ...some(blocked)]),
    rebinding: () => named(some(open), some(blocked), some(open), some(blocked)),
    public: () => (random.next() < 0.5 ? random.pick(spellingsOf(open())) : named(some(open))),
  }
  const urlOf = (host: string, path: string) => {
    const port = random.pick(['', '', ':80', ':443', `:${ALLOWED_PORT}`])
    return `${random.pick(['http', 'https'])}://${host}${port}/${path}`
  }

  const attack = (redirected = 0): string => {
    const kind = random.weighted([
      ...([
        ['address', 6],
        ['name', 3],
        ['mixed', 2],
        ['rebinding', 2],
        ['public', 1],
      ] as const),
      ...(redirected < 4 ? ([['redirect', 6]] as const) : []),
    ])
    if (kind !== 'redirect') return urlOf(hosts[kind](), 'card?x=1#y')
    redirects.push(attack(redirected + 1))
    // Without TLS: the server has no certificate.
    return `http://${hosts.public()}/to/${redirects.length - 1}`
  }
  return { redirects, attack }
}
