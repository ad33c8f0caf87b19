/** Names and addresses of this machine, as URL spells them. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Whether a host is another machine. */
export function isRemote(hostname: string): boolean {
  return !LOOPBACK.test(hostname)
}

/** Whether requests to a URL cross a network without encryption. */
export function isUnencrypted(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'http:' && isRemote(hostname)
}
