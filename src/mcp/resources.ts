import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
  type Variables,
} from '@modelcontextprotocol/server'
import { Problem } from '../contract/problem.ts'
import { parseUuid } from '../contract/uuid.ts'
import { callOf } from './call.ts'
import { toSentence } from './error-sentence.ts'
import type { Console } from './tool.ts'

const NOT_FOUND = ['agent_not_found', 'revision_not_found']

/** Agents as JSON with masked secrets, whole. They are not listed, because a team may have many: search_agents finds them. */
export function createResources({ agents, history }: Console): (server: McpServer) => void {
  const read = async (
    uri: URL,
    { id: given, revision }: Variables,
    context: ServerContext,
  ): Promise<ReadResourceResult> => {
    const { caller, log } = callOf(context)
    const parsed = parseUuid(String(given))
    const at = revision === undefined ? undefined : /^[1-9]\d{0,14}$/.exec(String(revision))?.[0]
    if (!parsed.ok || (revision !== undefined && at === undefined)) throw new ResourceNotFoundError(uri.href)
    try {
      const { text } =
        at === undefined
          ? await agents.read(caller, parsed.uuid)
          : await history.readAt(caller, parsed.uuid, Number(at))
      const meta = { 'agent-console/request_id': caller.requestId }
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }], _meta: meta }
    } catch (error) {
      const isProblem = error instanceof Problem
      if (isProblem && NOT_FOUND.includes(error.code)) throw new ResourceNotFoundError(uri.href)
      if (!isProblem || error.status >= 500) log.error({ err: error }, 'a resource could not be read')
      const sentence = `${toSentence(error)} Request id: ${caller.requestId}`
      throw new ProtocolError(ProtocolErrorCode.InternalError, sentence)
    }
  }

  const mimeType = 'application/json'
  return (server) => {
    server.registerResource(
      'agent',
      new ResourceTemplate('agent://{id}', { list: undefined }),
      { title: 'Agent', description: 'The configuration of an agent. Secrets are masked.', mimeType },
      read,
    )
    server.registerResource(
      'agent-revision',
      new ResourceTemplate('agent://{id}/revisions/{revision}', { list: undefined }),
      { title: 'Revision of an agent', description: 'An agent as it was at a revision.', mimeType },
      read,
    )
  }
}
