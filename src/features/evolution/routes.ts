import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { ref } from '../../api/fields.ts'
import { jsonResponse, operation } from '../../api/operation.ts'
import type { ProblemCode } from '../../api/problem-codes.ts'
import type { Upstream } from '../../platform/upstream/upstream.ts'
import { type EvolutionResponse, fetchEvolutionStatus, postGenome } from './client.ts'
import { EvolutionAgentId, EvolutionStatus, forwardedErrors, Genome } from './schema.ts'

/** A valid token is enough: the evolution service receives it and decides what it allows. */
const FORWARDED: ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'method_not_allowed',
  'internal',
  'upstream_failed',
  'issuer_unavailable',
  'upstream_unavailable',
  'upstream_not_configured',
  'too_many_requests',
  'overloaded',
  'upstream_timeout',
]

const RETURNED =
  'A 4xx response of the evolution service is returned unchanged, except that every 422 has the body ' +
  'HTTPValidationError; a 5xx becomes 502, a missed deadline 504, an unreachable service 503.'

export const evolutionRoutes: FastifyPluginAsyncTypebox<{ upstream: Upstream | undefined }> = async (
  app,
  { upstream },
) => {
  app.get(
    '/v1/evolution/status/:agent_id',
    operation('Evolution', 'authenticated', {
      config: { forwards: true },
      operationId: 'getEvolutionStatus',
      summary: 'Get Evolution Status',
      description:
        'Returns the evolution proposal status of the agent. The console forwards the request and the token to ' +
        `the evolution service, which decides whether the token may read it. ${RETURNED}`,
      params: EvolutionAgentId,
      response: {
        200: jsonResponse('The response of the evolution service.', ref(EvolutionStatus)),
        ...forwardedErrors(...FORWARDED),
      },
    }),
    async (request, reply) =>
      send(reply, await fetchEvolutionStatus(upstream, request, reply, request.params.agent_id)),
  )

  app.post(
    '/v1/genomes/',
    operation('Evolution', 'authenticated', {
      config: { forwards: true },
      operationId: 'createGenome',
      summary: 'Create Genome',
      description:
        'Creates a genome in the evolution service. The console forwards the token and the unchanged body. ' +
        RETURNED,
      body: ref(Genome),
      response: {
        200: jsonResponse('The response of the evolution service.', ref(Genome)),
        ...forwardedErrors(...FORWARDED, 'body_too_large'),
      },
    }),
    async (request, reply) =>
      send(reply, await postGenome(upstream, request, reply, request.bodyBytes as Buffer)),
  )
}

/** With a custom serializer, Fastify does not add a charset. */
const unchanged = (text: unknown) => text as string

function send(reply: FastifyReply, { status, headers, body }: EvolutionResponse): FastifyReply {
  return reply.code(status).headers(headers).type('application/json').serializer(unchanged).send(body)
}
