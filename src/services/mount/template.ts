/** A path as a service declares it, in the form that the router reads and the form that is forwarded. */
export interface PathTemplate {
  /** For find-my-way. Its parameters are `p0`, `p1` and so on: declared names may have characters that the router interprets. */
  route: string
  /** The declared names of the parameters, in the same order. */
  parameterNames: string[]
  /** Fills the parameters into the path, percent-encoded. Undefined if a value could change the path (`..`, `/`). */
  fill: (params: Record<string, string | undefined>) => string | undefined
}

type Piece = { text: string } | { param: string }

const LITERAL = /^[\w.~!$&',;=@:+-]*$/
/** Values that a service could interpret as a path separator or as `.` or `..`. */
const PATH_STEP = /[\\/\p{Cc}]|^\.{0,2}$/u
const BAD_CHARACTER = 'contains a character that the console does not support in paths'

/** Throws an Error whose message says why the console cannot mount the path. */
export function readTemplate(path: string): PathTemplate {
  if (!path.startsWith('/')) throw new Error('it does not start with a slash')
  const segments = path.split('/').slice(1)
  const parameterNames: string[] = []
  const addParameter = (name: string) => `p${parameterNames.push(name) - 1}`
  const pieces: Piece[] = []
  const routes = segments.map((segment, index) => {
    const isLast = index === segments.length - 1
    if (segment === '' && !isLast) throw new Error('it has an empty segment')
    if (segment === '.' || segment === '..') throw new Error(`it has the segment ${segment}`)
    const own = readSegment(segment, addParameter)
    pieces.push({ text: '/' }, ...own)
    return routeOf(own)
  })
  return { route: `/${routes.join('/')}`, parameterNames, fill: (params) => fill(pieces, params) }
}

function readSegment(segment: string, addParameter: (name: string) => string): Piece[] {
  const pieces = (segment.match(/\{[^{}]+\}|[^{}]+|[{}]/g) ?? []).map((text): Piece => {
    if (text.length > 2 && text.startsWith('{')) return { param: addParameter(text.slice(1, -1)) }
    if (!LITERAL.test(text)) throw new Error(`its segment ${segment} ${BAD_CHARACTER}`)
    return { text }
  })
  const shape = pieces.map((piece) => ('param' in piece ? 'p' : 't')).join('')
  // With more parameters in a segment the router could backtrack for a long time on a hostile path.
  if (!/^t?(?:pt?|ptp)?$/.test(shape)) {
    throw new Error(`its segment ${segment} has more parameters than the console supports in one segment`)
  }
  return pieces
}

function routeOf(pieces: Piece[]): string {
  const needsPattern =
    !('param' in (pieces.at(-1) ?? {})) || pieces.filter((piece) => 'param' in piece).length > 1
  return pieces
    .map((piece) => {
      if ('text' in piece) return piece.text.replaceAll(':', '::')
      return needsPattern ? `:${piece.param}([^/]+?)` : `:${piece.param}`
    })
    .join('')
}

function fill(pieces: Piece[], params: Record<string, string | undefined>): string | undefined {
  let path = ''
  for (const piece of pieces) {
    const value = 'param' in piece ? (params[piece.param] ?? '') : undefined
    if (value !== undefined && PATH_STEP.test(value)) return undefined
    path += 'text' in piece ? piece.text : encodeURIComponent(value ?? '')
  }
  return path
}
