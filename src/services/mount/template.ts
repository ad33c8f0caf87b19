/** A path as a service declares it, in the form the router reads and the form that is sent on. */
export interface PathTemplate {
  /** For find-my-way, with parameters named by their place: theirs may hold characters it has a use for. */
  route: string
  /** The path with these parameters, each encoded anew; undefined where one of them could lead elsewhere. */
  fill: (params: Record<string, string | undefined>) => string | undefined
}

type Piece = { text: string } | { param: string }

const LITERAL = /^[\w.~!$&',;=@:+-]*$/
/** What a service might take for a step to another path. */
const STRAYING = /[\\/\p{Cc}]|^\.{0,2}$/u

/** Throws an Error whose message says why the console cannot mount the path. */
export function readTemplate(path: string): PathTemplate {
  if (!path.startsWith('/')) throw new Error('it does not start with a slash')
  const segments = path.split('/').slice(1)
  let count = 0
  const pieces: Piece[] = []
  const routes = segments.map((segment, index) => {
    const isLast = index === segments.length - 1
    if (segment === '' && !isLast) throw new Error('it has an empty segment')
    if (segment === '.' || segment === '..') throw new Error(`it has the segment ${segment}`)
    const own = readSegment(segment, () => `p${count++}`)
    pieces.push({ text: '/' }, ...own)
    return routeOf(own)
  })
  return { route: `/${routes.join('/')}`, fill: (params) => fill(pieces, params) }
}

function readSegment(segment: string, nextParam: () => string): Piece[] {
  const pieces = (segment.match(/\{[^{}]+\}|[^{}]+|[{}]/g) ?? []).map((text): Piece => {
    if (text.length > 2 && text.startsWith('{')) return { param: nextParam() }
    if (!LITERAL.test(text)) throw new Error(`its segment ${segment} has a character that is not routed here`)
    return { text }
  })
  const shape = pieces.map((piece) => ('param' in piece ? 'p' : 't')).join('')
  // More, and matching a hostile path could take long: the router would try where one ends and the next begins.
  if (!/^t?(?:pt?|ptp)?$/.test(shape)) {
    throw new Error(`its segment ${segment} has parameters that cannot be told apart here`)
  }
  return pieces
}

function routeOf(pieces: Piece[]): string {
  const isAlone = !('param' in (pieces.at(-1) ?? {})) || pieces.filter((piece) => 'param' in piece).length > 1
  return pieces
    .map((piece) => {
      if ('text' in piece) return piece.text.replaceAll(':', '::')
      return isAlone ? `:${piece.param}([^/]+?)` : `:${piece.param}`
    })
    .join('')
}

function fill(pieces: Piece[], params: Record<string, string | undefined>): string | undefined {
  let path = ''
  for (const piece of pieces) {
    if ('text' in piece) {
      path += piece.text
      continue
    }
    const value = params[piece.param] ?? ''
    if (STRAYING.test(value)) return undefined
    path += encodeURIComponent(value)
  }
  return path
}
