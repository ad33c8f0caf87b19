import { changeHeaders } from './client/change-headers.ts'
import { type Reply, readReply } from './client/read-response.ts'
import type { Transport } from './client/transport.ts'
import type { CallOptions, ConditionalOptions, CreateOptions, ImpactOptions } from './options.ts'

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PATCH'

/** The paths of `P` that have an operation with the method. */
export type PathWith<P, M extends Method> = {
  [K in keyof P]: P[K] extends { [X in Lowercase<M>]: { responses: unknown } } ? K : never
}[keyof P] &
  string

export type OperationOf<P, M extends Method, K> = K extends keyof P
  ? P[K] extends { [X in Lowercase<M>]: infer O }
    ? O
    : never
  : never

/** The key `To` has the type of the parameters `From`; it may be left out if all of them may. */
type Part<O, From extends string, To extends string> = O extends { parameters: { [X in From]: infer V } }
  ? { [X in To]: V }
  : O extends { parameters: { [X in From]?: infer V } }
    ? { [X in To]?: [V] extends [never] ? undefined : V | undefined }
    : unknown

type BodyPart<O> = O extends { requestBody: { content: infer C } }
  ? { body: SentBody<C> }
  : O extends { requestBody?: { content: infer C } }
    ? { body?: SentBody<C> | undefined }
    : { body?: undefined }

/** A body that is not JSON is sent as it is. */
type SentBody<C> = C extends { 'application/json': infer J } ? J : Blob | FormData

export type RequestInput<O> = Part<O, 'path', 'path'> &
  Part<O, 'query', 'query'> &
  Part<O, 'header', 'headers'> &
  BodyPart<O> &
  CallOptions & {
    /**
     * Whether a repetition cannot make the change a second time. Default: true for GET, and for a request with
     * `if-match` or `idempotency-key`.
     */
    idempotent?: boolean | undefined
  }

type Success = 200 | 201 | 202 | 203 | 204 | '2XX'

/** The body of a success. */
export type ResponseData<O> = O extends { responses: infer R }
  ? { [S in keyof R & Success]: R[S] extends { content: infer C } ? Body<C> : undefined }[keyof R & Success]
  : never

type Body<C> = C extends { 'application/json': infer J }
  ? J
  : [C[keyof C]] extends [never]
    ? undefined
    : [Extract<keyof C, `text/${string}` | `${string}json`>] extends [never]
      ? Blob
      : string

/** The input may be left out if the operation needs none. */
type Arguments<Input> = CallOptions extends Input ? [input?: Input] : [input: Input]

/** Calls an operation of the OpenAPI document that `P` was generated from. */
export type TypedRequest<P> = <M extends Method, K extends PathWith<P, M>>(
  method: M,
  path: K,
  ...input: Arguments<RequestInput<OperationOf<P, M, K>>>
) => Promise<Reply<ResponseData<OperationOf<P, M, K>>>>

interface AnyInput extends CreateOptions, ConditionalOptions, ImpactOptions {
  path?: object
  query?: object
  headers?: Record<string, string | undefined>
  body?: unknown
  idempotent?: boolean
}

export function typedRequest<P>(transport: Transport): TypedRequest<P> {
  const request = (method: Method, template: string, input: AnyInput = {}) => {
    const { path, query, body, idempotent } = input
    const headers = { ...changeHeaders(input), ...input.headers }
    const repeatable = idempotent ?? (method === 'GET' || hasGuard(headers))
    const outgoing = { method, template, path, query, headers, body, repeatable }
    return transport.send(outgoing, input, async (response, { requestId, deadline }) => {
      const reply = await readReply(response, requestId)
      deadline.end()
      return reply
    })
  }
  return request as TypedRequest<P>
}

/** `if-match: *` matches after the change, too. */
function hasGuard({
  'idempotency-key': key,
  'if-match': match = '*',
}: AnyInput['headers'] & object): boolean {
  return key !== undefined || match !== '*'
}
