import { setImmediate } from 'node:timers/promises'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { DeclaredOperation } from '../operation.ts'
import { answerNames, requestNames } from './headers.ts'
import { type PathTemplate, readTemplate } from './template.ts'

/** A declared operation with all that is known of it before a request comes. */
export interface MountedOperation {
  declared: DeclaredOperation
  fill: PathTemplate['fill']
  /** Lower-case names of the headers that pass. */
  requestHeaders: string[]
  answerHeaders: string[]
}

export interface Found {
  operation: MountedOperation
  /** The path to ask the service for, without its query. */
  path: string
}

/** What a path that names no operation is: one that has other methods, one of which nothing can be said yet, or none. */
export interface NotFound {
  allow: string[]
  isAwaited: boolean
}

/** The operations of all services, at one moment. It does not change: it is replaced as a whole. */
export interface MountedTable {
  find: (method: string, url: string) => Found | NotFound
  /** What could not be mounted, each with a sentence that says why. */
  refused: { operation: DeclaredOperation; reason: string }[]
}

const METHODS: HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** A path parameter is for the service to judge, whatever its length. */
const MAX_PARAM_LENGTH = 16_384

/** How many are mounted in one go: a large table takes longer than a request should have to wait. */
const AT_ONCE = 50

export function createMountedTable(
  operations: readonly DeclaredOperation[],
  awaitedPrefixes: readonly string[] = [],
): MountedTable {
  const { table, mount } = openTable(awaitedPrefixes)
  for (const declared of operations) mount(declared)
  return table
}

/** The same, with room for requests in between. */
export async function createMountedTableInTurns(
  operations: readonly DeclaredOperation[],
  awaitedPrefixes: readonly string[] = [],
): Promise<MountedTable> {
  const { table, mount } = openTable(awaitedPrefixes)
  for (const [index, declared] of operations.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate()
    mount(declared)
  }
  return table
}

function openTable(awaitedPrefixes: readonly string[]): {
  table: MountedTable
  mount: (declared: DeclaredOperation) => void
} {
  const router = createRouter()
  const awaited = createRouter()
  // A prefix may be given twice, and twice with another name for its parameter.
  for (const route of new Set(awaitedPrefixes.map((prefix) => readTemplate(prefix).route))) {
    for (const path of [route, `${route}/*`]) awaited.on('GET', path, () => {})
  }
  const refused: MountedTable['refused'] = []
  const mount = (declared: DeclaredOperation) => {
    try {
      const { route, fill } = readTemplate(declared.path)
      const mounted: MountedOperation = {
        declared,
        fill,
        requestHeaders: requestNames(declared.requestHeaders),
        answerHeaders: answerNames(declared.responseHeaders),
      }
      router.on(declared.method, route, () => {}, mounted)
    } catch (error) {
      refused.push({ operation: declared, reason: sentence(declared, error as Error) })
    }
  }
  const lookUp = (method: HTTPMethod, url: string): Found | undefined => {
    const match = router.find(method, url)
    const operation = match?.store as MountedOperation | undefined
    const path = operation?.fill(match?.params ?? {})
    return operation && path !== undefined ? { operation, path } : undefined
  }
  const find: MountedTable['find'] = (method, url) => {
    const found = lookUp(method as HTTPMethod, url) ?? (method === 'HEAD' ? lookUp('GET', url) : undefined)
    if (found) return found
    return {
      allow: methodsOf((other) => lookUp(other, url) !== undefined),
      isAwaited: awaited.find('GET', url) !== null,
    }
  }
  return { table: { refused, find }, mount }
}

function createRouter() {
  return findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: MAX_PARAM_LENGTH,
    // Nobody here reads it: it is passed on as it came.
    querystringParser: () => ({}),
  })
}

function methodsOf(has: (method: HTTPMethod) => boolean): string[] {
  return METHODS.filter((method) => has(method) || (method === 'HEAD' && has('GET')))
}

function sentence({ service, method, path }: DeclaredOperation, error: Error): string {
  const why = error.message.includes('already declared') ? 'it is declared twice' : error.message
  return `${method} ${path} of ${service} cannot be mounted: ${why}.`
}
