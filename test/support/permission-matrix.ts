import { randomUUID } from 'node:crypto'

/** An operation of the combined document, and the permission that its description names. */
export interface MatrixOperation {
  method: string
  path: string
  /** Undefined if a valid token is enough. */
  permission: string | undefined
  isRead: boolean
  /** What the operation does, if that needs another permission too. */
  action?: { name: string; permission: string }
}

interface Document {
  paths: Record<string, Record<string, { description?: string; security?: unknown; requestBody?: object }>>
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch']
const NEEDED = /Needs the permission `([^`]+)`\./
/** A member of the body that needs another permission. */
const ACTION = /`(\w+)` needs the permission `([^`]+)` too\./g
const ANY_TOKEN = /no particular permission/

/** Every operation of a document. One that does not say what it needs is an error. */
export function readOperations(document: unknown): MatrixOperation[] {
  return Object.entries((document as Document).paths).flatMap(([path, item]) =>
    METHODS.filter((name) => item[name]).flatMap((name) => {
      const { description = '' } = item[name] ?? {}
      const permission = NEEDED.exec(description)?.[1]
      if (permission === undefined && !ANY_TOKEN.test(description)) {
        throw new Error(`${name} ${path} does not say what it needs`)
      }
      const operation = {
        method: name.toUpperCase(),
        path,
        permission,
        isRead: ['get', 'head', 'options'].includes(name),
      }
      const actions = [...description.matchAll(ACTION)].map(([, action = '', other = '']) => ({
        ...operation,
        action: { name: action, permission: other },
      }))
      return [operation, ...actions]
    }),
  )
}

/** Calls the operation with an id, by default of nothing that exists. The body of a success is not read: it may never end. */
export async function callOperation(
  baseUrl: string,
  { method, path, isRead, action }: Omit<MatrixOperation, 'permission'>,
  authorization: string | undefined,
  id: string = randomUUID(),
): Promise<{ status: number; code: string | undefined; detail: unknown }> {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === 'revision' ? '1' : id))
  const response = await fetch(baseUrl + filled, {
    method,
    redirect: 'manual',
    headers: {
      ...(authorization && { authorization }),
      ...(isRead ? {} : { 'content-type': 'application/json' }),
    },
    ...(isRead ? {} : { body: JSON.stringify(action ? { [action.name]: BODIES[action.name] ?? {} } : {}) }),
  })
  const { status } = response
  if (status < 400) {
    await response.body?.cancel()
    return { status, code: undefined, detail: undefined }
  }
  const body = parse(await response.text())
  return { status, code: body.code, detail: body.detail }
}

function parse(text: string): { code?: string; detail?: unknown } {
  try {
    return { ...(JSON.parse(text) as object) }
  } catch {
    return {}
  }
}

/** What an action needs to be valid by itself. */
const BODIES: Record<string, object> = { lifecycle: { trust_stage: 'tested' } }

/** A token for each permission by itself and for each with `agent:read`, one with all of them and one with none. */
export function scopesOf(permissions: readonly string[]): string[] {
  const withRead = permissions.filter((name) => name !== 'agent:read').map((name) => `agent:read ${name}`)
  return ['', permissions.join(' '), ...permissions, ...withRead]
}

/** The first permission that an operation needs and a token lacks. */
export function missingOf({ permission, action }: MatrixOperation, scope: readonly string[]) {
  return [permission, action?.permission].find((name) => name !== undefined && !scope.includes(name))
}
