import type { OutboundPolicy } from '../platform/outbound/client.ts'
import { parseCidrs, parseHosts, parsePorts } from '../platform/outbound/settings.ts'
import { parseHttpUrl } from '../platform/settings/parsers.ts'
import type { Reader } from '../platform/settings/reader.ts'

export function readOutbound({ read, readOptional }: Reader, allowsHttp: boolean): OutboundPolicy {
  return {
    allowedCidrs: read('OUTBOUND_ALLOWED_CIDRS', parseCidrs, []),
    allowedHosts: read('OUTBOUND_ALLOWED_HOSTS', parseHosts, []),
    allowedPorts: read('OUTBOUND_ALLOWED_PORTS', parsePorts, []),
    allowsHttp,
    proxyUrl: readOptional('OUTBOUND_PROXY_URL', parseHttpUrl),
  }
}
