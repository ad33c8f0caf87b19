import { Agents } from './agents/agents.ts'
import { Audit } from './audit.ts'
import { Transport } from './client/transport.ts'
import type { CallOptions, ConsoleOptions } from './options.ts'
import { Evolution, Services, Users, Views } from './resources.ts'
import type { paths } from './schema.ts'
import { type TypedRequest, typedRequest } from './typed-request.ts'
import type { Me } from './types.ts'

/**
 * A client of Agent Console. `P` types `request`: generate it from the combined document of your console to call the
 * services behind it.
 */
export class Console<P = paths> {
  readonly agents: Agents
  readonly views: Views
  readonly audit: Audit
  readonly users: Users
  readonly evolution: Evolution
  readonly services: Services
  /** Calls any operation of the document. */
  readonly request: TypedRequest<P>
  readonly #own: TypedRequest<paths>

  constructor(options: ConsoleOptions) {
    const transport = new Transport(options)
    this.agents = new Agents(transport)
    this.views = new Views(transport)
    this.audit = new Audit(transport)
    this.users = new Users(transport)
    this.evolution = new Evolution(transport)
    this.services = new Services(transport)
    this.request = typedRequest(transport)
    this.#own = typedRequest(transport)
  }

  /** Who the caller is, and what the token allows. */
  async me(options: CallOptions = {}): Promise<Me> {
    return (await this.#own('GET', '/v1/me', options)).data
  }
}
