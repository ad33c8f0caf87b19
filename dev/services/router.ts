import { Refusal } from './exchange.ts'

/** Paths are taken literally, as the document spells them: a caller with another spelling gets 404. */
export function createRouter<Route>(routes: Record<string, Route>) {
  const table = Object.entries(routes).map(([route, value]) => {
    const pattern = route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    return { pattern: new RegExp(`^${pattern}$`), value }
  })

  return (method: string, path: string): { route: Route; param: (name: string) => string } => {
    const wanted = `${method === 'HEAD' ? 'GET' : method} ${path}`
    for (const { pattern, value } of table) {
      const match = pattern.exec(wanted)
      if (match) return { route: value, param: (name) => decode(match.groups?.[name] ?? '') }
    }
    throw new Refusal(404, `There is no ${method} ${path}`)
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Refusal(404, 'The path cannot be read')
  }
}
