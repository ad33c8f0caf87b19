import { newId } from './client/request-headers.ts'
import type { Transport } from './client/transport.ts'
import type { CreateOptions } from './options.ts'
import type { paths } from './schema.ts'
import { type TypedRequest, typedRequest } from './typed-request.ts'

/** A part of the interface. Its members are private, so that a printed object is short. */
export class Resource {
  readonly #transport: Transport
  readonly #request: TypedRequest<paths>

  constructor(transport: Transport) {
    this.#transport = transport
    this.#request = typedRequest(transport)
  }

  protected get transport(): Transport {
    return this.#transport
  }

  protected get request(): TypedRequest<paths> {
    return this.#request
  }

  /** The key is made before the first try, so that a repetition is the same change. */
  protected withKey<T extends CreateOptions>(options: T): T {
    return { ...options, idempotencyKey: options.idempotencyKey ?? newId() }
  }
}
