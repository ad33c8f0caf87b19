import { type Demo, type Handler, Refusal } from './exchange.ts'

interface Found {
  handler: Handler
  param: (name: string) => string
}

/** Paths are taken literally, as the document spells them: whoever calls with another spelling finds out. */
export function createRouter(routes: Demo['routes']): (method: string, path: string) => Found {
  const table = Object.entries(routes).map(([route, handler]) => {
    const pattern = route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')
    return { pattern: new RegExp(`^${pattern}$`), handler }
  })

  return (method, path) => {
    const asked = `${method === 'HEAD' ? 'GET' : method} ${path}`
    for (const { pattern, handler } of table) {
      const match = pattern.exec(asked)
      if (match) return { handler, param: (name) => decode(match.groups?.[name] ?? '') }
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
