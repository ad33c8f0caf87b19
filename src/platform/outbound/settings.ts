import { isIP, isIPv4 } from 'node:net'
import { toList } from './addresses.ts'

/** The errors continue a sentence that begins with the name of the variable. */

const listOf = (text: string) => text.split(/[\s,]+/).filter((entry) => entry !== '')

/** `10.0.0.0/8, fd12:3456::/32` */
export function parseCidrs(text: string): string[] {
  return listOf(text).map((entry) => {
    const [, network = '', length = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? []
    const [min, max] = isIPv4(network) ? [8, 32] : [7, 128]
    if (isIP(network) === 0 || Number(length) < min || Number(length) > max) {
      throw new Error(
        `must be ranges of addresses such as 10.1.0.0/16, at least /8 for IPv4 and /7 for IPv6; ${entry} is not`,
      )
    }
    // The range ::/8 would allow every IPv4 address too.
    if (!isIPv4(network) && toList([entry]).check('0.0.0.0')) {
      throw new Error(`must not have ${entry}: it contains the IPv4 addresses`)
    }
    return entry
  })
}

/** `agents.example.com, svc.cluster.local` */
export function parseHosts(text: string): string[] {
  return listOf(text).map((entry) => {
    // As a URL has it: in lower case and in ASCII. None ends in a number, since that would be an address.
    const host = URL.parse(`https://a.${entry}/`)?.hostname.slice(2)
    if (host === undefined || !/^[\p{L}\d_](?:[\p{L}\d_.-]*[\p{L}\d])?$/u.test(entry)) {
      throw new Error(`must be names of hosts such as agents.example.com; ${entry} is not`)
    }
    return host
  })
}

export function parsePorts(text: string): number[] {
  return listOf(text).map((entry) => {
    const port = Number(entry)
    if (!/^\d+$/.test(entry) || port < 1 || port > 65_535) {
      throw new Error(`must be ports from 1 to 65535; ${entry} is not`)
    }
    return port
  })
}
