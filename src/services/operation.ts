/** An operation that a service declares in its document and the console mounts. */
export interface DeclaredOperation {
  service: string
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH'
  /** As the service declares it: `/v1/campaigns/{id}`. */
  path: string
  /** As in the combined document: another name than the service's own where two clash. */
  operationId: string
  /** Lower-case names of the headers that the operation declares as parameters. */
  requestHeaders: string[]
  /** Lower-case names of the headers that its answers declare. */
  responseHeaders: string[]
  /** Whether it declares an answer from 300 to 399. */
  redirects: boolean
}
