import type { CallOptions, ChangeOptions } from './options.ts'
import { Resource } from './resource.ts'
import type {
  EvolutionStatus,
  Genome,
  SavedView,
  SavedViewContent,
  SavedViewList,
  ServiceList,
  UserList,
  ViewScope,
} from './types.ts'

/** Saved views of the list of agents: those of the caller, or of the team with `scope: 'team'`. */
export class Views extends Resource {
  async list(options: CallOptions = {}): Promise<SavedViewList> {
    return (await this.request('GET', '/v1/views', options)).data
  }

  async get(name: string, options: CallOptions & { scope?: ViewScope } = {}): Promise<SavedView> {
    return (
      await this.request('GET', '/v1/views/{name}', { ...options, path: { name }, query: scope(options) })
    ).data
  }

  async update(
    name: string,
    content: SavedViewContent,
    options: ChangeOptions & { scope?: ViewScope } = {},
  ): Promise<SavedView> {
    const input = { path: { name }, query: scope(options), body: content }
    return (await this.request('PUT', '/v1/views/{name}', { ...options, ...input })).data
  }

  async delete(name: string, options: ChangeOptions & { scope?: ViewScope } = {}): Promise<void> {
    const input = { path: { name }, query: scope(options) }
    await this.request('DELETE', '/v1/views/{name}', { ...options, ...input })
  }
}

function scope({ scope }: { scope?: ViewScope }): { scope?: ViewScope } {
  return scope === undefined ? {} : { scope }
}

export class Users extends Resource {
  /** The names of users. Ids that the console does not know are left out. */
  async list(ids: string[], options: CallOptions = {}): Promise<UserList> {
    return (await this.request('GET', '/v1/users', { ...options, query: { ids } })).data
  }

  /** Erases the name of a user. */
  async eraseName(id: string, options: ChangeOptions = {}): Promise<void> {
    const input = { path: { user_id: id } }
    await this.request('DELETE', '/v1/users/{user_id}', { ...options, ...input })
  }
}

/** The evolution service behind the console. */
export class Evolution extends Resource {
  async status(agentId: string, options: CallOptions = {}): Promise<EvolutionStatus> {
    const path = { agent_id: agentId }
    return (await this.request('GET', '/v1/evolution/status/{agent_id}', { ...options, path })).data
  }

  /** Creates a genome. It is never repeated: a repetition would create another one. */
  async seed(genome: Genome, options: CallOptions = {}): Promise<Genome> {
    return (await this.request('POST', '/v1/genomes/', { ...options, body: genome })).data
  }
}

/** The services behind the console. */
export class Services extends Resource {
  async list(options: CallOptions = {}): Promise<ServiceList> {
    return (await this.request('GET', '/v1/services', options)).data
  }
}
