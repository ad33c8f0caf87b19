import type { FastifyRequest, RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { ChangeReasonHeader, MAX_REASON_LENGTH, REASON_HEADER } from '../contract/change-reason.ts'
import { PERMISSIONS } from '../contract/permissions.ts'
import { UNSHOWABLE } from '../contract/shown-text.ts'
import { RequestValidationError } from '../contract/validation-error.ts'
import { containsCredential } from '../platform/secrets/credential-patterns.ts'
import { ErrorList } from './validation/error-list.ts'

/** Gives every operation of the console that changes something the header with its reason, and the caller the text of it. */
export const changeReason = fp(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (!isChange(route)) return
      const headers = (route.schema?.headers ?? { type: 'object' }) as { properties?: object }
      const properties = { ...headers.properties, [REASON_HEADER]: ChangeReasonHeader }
      route.schema = { ...route.schema, headers: { ...headers, properties } }
      route.preHandler = [readReason, ...[route.preHandler ?? []].flat()]
    })
  },
  { name: 'change-reason', dependencies: ['authentication'] },
)

/** Operations without a permission of the console belong to a service behind it. What leaves no record keeps no reason. */
function isChange({ method, config }: RouteOptions): boolean {
  const needsPermission = (PERMISSIONS as readonly string[]).includes(config?.permission ?? '')
  return (
    needsPermission &&
    config?.isAudited !== false &&
    ![method].flat().some((name) => name === 'GET' || name === 'HEAD')
  )
}

async function readReason(request: FastifyRequest): Promise<void> {
  const header = request.headers[REASON_HEADER]
  const reason = header === undefined ? '' : parseReason(String(header))
  if (reason !== '') request.caller.reason = reason
}

function parseReason(header: string): string {
  const errors = new ErrorList()
  const loc = ['header', REASON_HEADER]
  const text = decode(header)
  if (text !== undefined) return checkReason(text, loc)
  errors.add(loc, 'value_error', 'this is no UTF-8 text with % written as %25')
  throw new RequestValidationError(errors.errors)
}

/** Returns the reason without spaces around it. */
export function checkReason(given: string, loc: string[]): string {
  const errors = new ErrorList()
  const text = given.trim()
  if (Array.from(text).length > MAX_REASON_LENGTH) errors.add(loc, 'string_too_long', MAX_REASON_LENGTH)
  else if (UNSHOWABLE.test(text))
    errors.add(loc, 'value_error', 'a reason must not contain control characters')
  else if (containsCredential(text)) errors.add(loc, 'value_error', 'a reason must not contain a credential')
  if (errors.errors.length > 0) throw new RequestValidationError(errors.errors)
  return text
}

/** Node reads the bytes of a header as Latin-1. Undefined if they are no percent-encoded UTF-8. */
function decode(header: string): string | undefined {
  try {
    return decodeURIComponent(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(header, 'latin1')),
    )
  } catch {
    return undefined
  }
}
