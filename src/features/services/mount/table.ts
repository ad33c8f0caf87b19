import { setImmediate } from 'node:timers/promises'
import type { HTTPMethod } from 'find-my-way'
import findMyWay from 'find-my-way'
import { isRead } from '../../../api/operation.ts'
import { type DeclaredOperation } from '../document/document.ts'
import { type PathTemplate, readTemplate, requestNames, responseNames } from './template.ts'

/** A declared operation with everything that can be computed in advance. */
export interface RoutedOperation extends Pick<PathTemplate, 'pieces' | 'parameterNames'> {
  declared: DeclaredOperation
  /** It only reads; all others may change something. */
  isRead: boolean
  /** Lower-case names of the headers that pass. */
  requestHeaders: string[]
  responseHeaders: string[]
}

export interface Found {
  operation: RoutedOperation
  /** The path to request from the service, without its query. */
  path: string
  /** The values of the path parameters, decoded: `p0` is the first one. */
  params: Record<string, string | undefined>
}

export interface NotFound {
  /** The methods that the path has. */
  allow: string[]
  /** Whether the path may belong to a service whose document is not known yet. */
  isPending: boolean
}

/** In the order of the `Allow` header. */
const METHODS: HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** The service decides which lengths of a path parameter it accepts. */
const MAX_PARAM_LENGTH = 16_384

/** How many operations are mounted before the event loop gets a turn. */
const BATCH = 50

/** `selectOperations` has left out the operations that the router does not support. */
export async function createMountedTable(
  operations: readonly DeclaredOperation[],
  pendingPrefixes: readonly string[] = [],
): Promise<MountedTable> {
  const router = createRouter()
  for (const [index, declared] of operations.entries()) {
    if (index % BATCH === BATCH - 1) await setImmediate()
    const { route, pieces, parameterNames } = readTemplate(declared.path)
    const requestHeaders = requestNames(declared.requestHeaders)
    const responseHeaders = responseNames(declared.responseHeaders)
    const mounted = {
      declared,
      isRead: isRead(declared.method),
      pieces,
      parameterNames,
      requestHeaders,
      responseHeaders,
    }
    router.on(declared.method, route, () => {}, mounted satisfies RoutedOperation)
  }
  return new MountedTable(router, routePrefixes(pendingPrefixes))
}

type Router = ReturnType<typeof createRouter>

/** Finds a path under any of the prefixes. */
function routePrefixes(prefixes: readonly string[]): Router {
  const router = createRouter()
  // Two prefixes may differ only in the name of a parameter.
  for (const route of new Set(prefixes.map((prefix) => readTemplate(prefix).route))) {
    for (const path of [route, `${route}/*`]) router.on('GET', path, () => {})
  }
  return router
}

/** The operations of all services. It does not change: a new one replaces it. */
export class MountedTable {
  readonly #router: Router
  readonly #pending: Router

  constructor(router: Router, pending: Router) {
    this.#router = router
    this.#pending = pending
  }

  find(method: string, url: string): Found | NotFound {
    const found =
      this.#lookUp(method as HTTPMethod, url) ?? (method === 'HEAD' ? this.#lookUp('GET', url) : undefined)
    if (found) return found
    const has = (other: HTTPMethod) => this.#lookUp(other, url) !== undefined
    return {
      allow: METHODS.filter((other) => has(other) || (other === 'HEAD' && has('GET'))),
      isPending: this.#pending.find('GET', url) !== null,
    }
  }

  #lookUp(method: HTTPMethod, url: string): Found | undefined {
    const match = this.#router.find(method, url)
    const operation = match?.store as RoutedOperation | undefined
    const params = match?.params ?? {}
    const path = operation && fillTemplate(operation, params)
    return operation && path !== undefined ? { operation, path, params } : undefined
  }
}

/** Values that a service could interpret as a path separator or as `.` or `..`. */
const PATH_STEP = /[\\/\p{Cc}]|^\.{0,2}$/u

/** Fills the parameters into the path, percent-encoded. Undefined if a value could change the path (`..`, `/`). */
function fillTemplate(
  { pieces }: Pick<PathTemplate, 'pieces'>,
  params: Record<string, string | undefined>,
): string | undefined {
  let path = ''
  for (const piece of pieces) {
    const value = 'param' in piece ? (params[piece.param] ?? '') : undefined
    if (value !== undefined && PATH_STEP.test(value)) return undefined
    path += 'text' in piece ? piece.text : encodeURIComponent(value ?? '')
  }
  return path
}

/** The query is forwarded as it came. */
function createRouter() {
  const querystringParser = () => ({})
  return findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH, querystringParser })
}
