import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sendJson } from '../../agent/compare.ts'
import type { Caller } from '../../api/caller.ts'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation, readErrors } from '../../api/operation.ts'
import { decodeCursor, encodeCursor, isCanonicalUuid } from '../../api/pages.ts'
import type { Core } from '../../core.ts'
import { exportAgents } from './export.ts'
import { countFacets } from './facets.ts'
import { type AgentFilters, countAgents, findAgents, type ListedAgent, readFilters } from './queries.ts'
import {
  AgentExportQuery,
  AgentFacets,
  AgentFacetsQuery,
  AgentListQuery,
  AgentPage,
  agentExportResponse,
} from './schema.ts'

const FILTERING =
  'An agent must match every filter. To pass several values of a filter, repeat the parameter: ' +
  '`statuses=draft&statuses=active`.'

export const listRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '/v1/agent-configurations',
    operation('Agents', 'agent:read', {
      operationId: 'listAgentConfigurations',
      summary: 'List Agent Configurations',
      description:
        `Returns the agents of the team in pages. ${FILTERING} To read the next page, send \`next_cursor\` as ` +
        '`cursor` with the same filters.',
      querystring: AgentListQuery,
      response: {
        200: jsonResponse('A page of agents, with masked secrets.', ref(AgentPage)),
        ...readErrors(),
      },
    }),
    async ({ caller, query }, reply) => sendJson(reply, await listAgents(core, caller, query)),
  )

  app.get(
    '/v1/agent-configurations/facets',
    operation('Agents', 'agent:read', {
      operationId: 'getAgentFacets',
      summary: 'Get Agent Facets',
      description:
        'Counts the agents of the team by the values of their fields, for the filters of a list. ' +
        `${FILTERING} Each facet ignores its own filter.`,
      querystring: AgentFacetsQuery,
      response: {
        200: jsonResponse('The counts.', ref(AgentFacets)),
        ...readErrors(),
      },
    }),
    ({ caller, query }) => countFacets(core, caller, query),
  )

  app.get(
    '/v1/agent-configurations/export',
    {
      ...operation('Agents', 'agent:read', {
        config: { isAudited: true },
        operationId: 'exportAgentConfigurations',
        summary: 'Export Agent Configurations',
        description:
          `Streams the agents of the team, oldest first, without secrets. ${FILTERING} The audit log records the ` +
          'export. Each agent is as it was when its line was read. The stream breaks off when the token expires ' +
          'or is revoked, the replica shuts down, the database fails, or the client does not read: continue with ' +
          '`cursor`. The number of exports at a time is limited.',
        querystring: AgentExportQuery,
        response: { 200: agentExportResponse, ...readErrors() },
      }),
      // A HEAD request would read all agents.
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const { caller, query } = request
      const lines = await exportAgents(core, caller, query, (end) => request.endWithToken(end))
      // A continued export has no line with names (RFC 4180 section 3).
      const names = query.cursor === undefined ? 'present' : 'absent'
      const csv = `text/csv; charset=utf-8; header=${names}`
      reply.type(query.format === 'csv' ? csv : 'application/x-ndjson').header('cache-control', 'no-store')
      return lines
    },
  )
}

/** A larger page counts as a search, because building it takes much memory. */
const MAX_LIMIT_OF_READS = 100

/** Whether a page or its count may read many agents. */
function isSearch(
  filters: AgentFilters,
  { limit = 0, include_count: hasCount = false }: AgentListQuery,
): boolean {
  return hasCount || limit > MAX_LIMIT_OF_READS || Object.values(filters).some((given) => given !== undefined)
}

/** Returns a page as the JSON of an AgentPage. */
export async function listAgents(
  { database }: Core,
  { teamId }: Caller,
  query: AgentListQuery,
): Promise<string> {
  const { sort = '-created_at', limit = 100, fields, include_scores: includeScores = false } = query
  const filters = readFilters(query)
  const cursorScope = [filters, sort]
  const position = decodeCursor(cursorScope, query.cursor, isPositionOf(sort))
  const sql = (isSearch(filters, query) ? database.searches : database).of(teamId)
  const page = { sort, limit, position, shape: { includeScores, fields } }
  const { agents, hasNext } = await findAgents(sql, teamId, filters, page)
  const count = query.include_count ? await countAgents(sql, teamId, filters) : undefined
  const last = agents.at(-1)
  const results = agents.map(({ text }) => text).join(',')
  const revisions = agents.map(({ revision }) => revision).join(',')
  const next = JSON.stringify(hasNext && last ? encodeCursor(cursorScope, positionOf(last, sort)) : null)
  const counted = count === undefined ? '' : `,"count":${count}`
  return `{"results":[${results}],"revisions":[${revisions}],"next_cursor":${next}${counted}}`
}

const isByCreation = (sort: string) => sort.endsWith('created_at')

function isPositionOf(sort: string) {
  const isKey = sort.endsWith('score') ? isScore : isName
  return (parts: unknown[]): boolean => {
    const isId = isCanonicalUuid(parts.at(-1))
    return isByCreation(sort) ? isId && parts.length === 1 : isId && parts.length === 2 && isKey(parts[0])
  }
}

function isName(key: unknown): boolean {
  return typeof key === 'string' && key.isWellFormed() && !key.includes('\0')
}

/** As JavaScript writes it: PostgreSQL refuses other numbers, such as 1e-400. */
function isScore(key: unknown): boolean {
  return typeof key === 'string' && key !== 'NaN' && key !== 'Infinity' && String(Number(key)) === key
}

function positionOf({ id, sort_key: key }: ListedAgent, sort: string): string[] {
  if (isByCreation(sort)) return [id]
  return [sort.endsWith('score') ? String(Number(key)) : key, id]
}
