/** Where a response points to, as a path of the console. Undefined for a target outside the service's base URL: it would lead
 * callers elsewhere, or reveal the address of the service. */
export function toConsoleLocation(location: string, baseUrl: string, path: string): string | undefined {
  const base = new URL(baseUrl)
  const basePath = base.pathname.replace(/\/+$/, '')
  const target = URL.parse(location, base.origin + basePath + path)
  if (target?.origin !== base.origin) return undefined
  if (basePath !== '' && !target.pathname.startsWith(`${basePath}/`)) return undefined
  const own = target.pathname.slice(basePath.length)
  // A path that begins with two slashes would name a host.
  return own.startsWith('//') ? undefined : own + target.search + target.hash
}
