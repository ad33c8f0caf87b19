import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answer, problemAnswers, validationAnswer } from '../contract/answers.ts'
import { EvolutionAgentId, EvolutionStatus, Genome } from '../contract/evolution.ts'
import { ref } from '../contract/fields.ts'
import { AGENT_OPERATION } from '../contract/operation.ts'
import type { ProblemCode } from '../contract/problem-codes.ts'
import type { EvolutionClient, ForwardContext, ForwardedResponse } from './client.ts'

/** A valid token is enough: the evolution service receives it and decides what it allows. */
const FORWARDED: ProblemCode[] = [
  'unauthenticated',
  'invalid_token',
  'internal',
  'upstream_failed',
  'issuer_unavailable',
  'upstream_unavailable',
  'upstream_timeout',
]

export const evolutionRoutes: FastifyPluginAsyncTypebox<{ evolution: EvolutionClient }> = async (
  app,
  { evolution },
) => {
  app.get(
    '/v1/evolution/status/:agent_id',
    {
      config: { permission: 'authenticated' },
      schema: {
        operationId: 'getEvolutionStatus',
        summary: 'Get Evolution Status',
        description:
          'The evolution proposal status of the agent, from the evolution service. The agent need not be known ' +
          'here. Errors of the evolution service below 500 come back as they are.',
        ...AGENT_OPERATION,
        params: EvolutionAgentId,
        response: {
          200: answer('What the evolution service answered', ref(EvolutionStatus)),
          422: validationAnswer,
          ...problemAnswers(...FORWARDED),
        },
      },
    },
    async (request, reply) =>
      send(reply, await evolution.status(contextOf(request, reply), request.params.agent_id)),
  )

  app.post(
    '/v1/genomes/',
    {
      config: { permission: 'authenticated' },
      schema: {
        operationId: 'createGenome',
        summary: 'Create Genome',
        description:
          'Creates (seeds) a new genome in the evolution service. The body is passed on as its own bytes. Errors ' +
          'of the evolution service below 500 come back as they are.',
        ...AGENT_OPERATION,
        body: ref(Genome),
        response: {
          200: answer('What the evolution service answered', ref(Genome)),
          422: validationAnswer,
          ...problemAnswers(...FORWARDED, 'body_too_large'),
        },
      },
    },
    async (request, reply) =>
      send(reply, await evolution.createGenome(contextOf(request, reply), request.bodyBytes as Buffer)),
  )
}

function contextOf(request: FastifyRequest, reply: FastifyReply): ForwardContext {
  return {
    token: request.token,
    requestId: request.id,
    headers: request.headers,
    response: reply.raw,
  }
}

function send(reply: FastifyReply, { status, headers, body }: ForwardedResponse): FastifyReply {
  return reply.code(status).headers(headers).type('application/json').send(body)
}
