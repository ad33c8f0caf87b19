/** Where an answer points to, as a path of the console. Undefined for what is not under the service's own base URL:
 * nobody is sent elsewhere, and nobody learns where a service lives. */
export function ownLocation(location: string, baseUrl: string, path: string): string | undefined {
  const base = new URL(baseUrl)
  const basePath = base.pathname.replace(/\/+$/, '')
  const target = URL.parse(location, base.origin + basePath + path)
  if (target?.origin !== base.origin) return undefined
  if (basePath !== '' && !target.pathname.startsWith(`${basePath}/`)) return undefined
  const own = target.pathname.slice(basePath.length)
  // A path that begins with two slashes would name a host.
  return own.startsWith('//') ? undefined : own + target.search + target.hash
}
