import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  CardKey,
  CardKeyContent,
  CardKeyId,
  CardKeyList,
  CardPolicy,
  CardPolicyContent,
} from '../../contract/card-signature.ts'
import { ref } from '../../contract/fields.ts'
import { AGENT_OPERATION, readErrors, writeErrors } from '../../contract/operation.ts'
import { emptyResponse, jsonResponse } from '../../contract/responses.ts'
import type { CardTrustService } from './service.ts'

const KEYS = '/v1/card-keys'
const KEY = `${KEYS}/:kid`
const POLICY = '/v1/card-policy'

const toRead = { permission: 'agent:read', lane: 'by_method' } as const
/** They decide which agents count as genuine. */
const toChange = { permission: 'agent:lifecycle', lane: 'by_method' } as const

export const cardTrustRoutes: FastifyPluginAsyncTypebox<{ trust: CardTrustService }> = async (
  app,
  { trust },
) => {
  app.get(
    KEYS,
    {
      config: toRead,
      schema: {
        operationId: 'listCardKeys',
        summary: 'List Card Keys',
        description: 'Returns the public keys whose signatures of agent cards the team trusts.',
        ...AGENT_OPERATION,
        response: { 200: jsonResponse('The keys.', ref(CardKeyList)), ...readErrors() },
      },
    },
    ({ caller }) => trust.listKeys(caller),
  )

  app.get(
    KEY,
    {
      config: toRead,
      schema: {
        operationId: 'getCardKey',
        summary: 'Get Card Key',
        description: 'Returns a key that the team trusts.',
        ...AGENT_OPERATION,
        params: CardKeyId,
        response: { 200: jsonResponse('The key.', ref(CardKey)), ...readErrors('card_key_not_found') },
      },
    },
    ({ caller, params }) => trust.readKey(caller, params.kid),
  )

  app.put(
    KEY,
    {
      config: toChange,
      schema: {
        operationId: 'putCardKey',
        summary: 'Put Card Key',
        description:
          'Adds or replaces a key that the team trusts for the agent cards of some origins. The console never takes a key from a card, ' +
          'and never fetches one. A team has at most 100 keys. The audit log records the change.',
        ...AGENT_OPERATION,
        params: CardKeyId,
        body: ref(CardKeyContent),
        response: {
          200: jsonResponse('The key as it is stored.', ref(CardKey)),
          ...writeErrors('too_many_card_keys'),
        },
      },
    },
    ({ caller, params, body }) => trust.saveKey(caller, params.kid, body),
  )

  app.delete(
    KEY,
    {
      config: toChange,
      schema: {
        operationId: 'deleteCardKey',
        summary: 'Delete Card Key',
        description:
          'Removes a key. Agents that were imported with it stay. The audit log records the deletion.',
        ...AGENT_OPERATION,
        params: CardKeyId,
        response: { 204: emptyResponse('The key is deleted.'), ...writeErrors('card_key_not_found') },
      },
    },
    async ({ caller, params }, reply) => {
      await trust.deleteKey(caller, params.kid)
      return reply.code(204).send()
    },
  )

  app.get(
    POLICY,
    {
      config: toRead,
      schema: {
        operationId: 'getCardPolicy',
        summary: 'Get Card Policy',
        description: 'Returns what happens to agent cards by their signatures.',
        ...AGENT_OPERATION,
        response: { 200: jsonResponse('The policy.', ref(CardPolicy)), ...readErrors() },
      },
    },
    ({ caller }) => trust.readPolicy(caller),
  )

  app.put(
    POLICY,
    {
      config: toChange,
      schema: {
        operationId: 'putCardPolicy',
        summary: 'Put Card Policy',
        description:
          'Changes what happens to agent cards by their signatures, from the next import or refresh on. The audit log records it.',
        ...AGENT_OPERATION,
        body: ref(CardPolicyContent),
        response: { 200: jsonResponse('The policy as it is stored.', ref(CardPolicy)), ...writeErrors() },
      },
    },
    ({ caller, body }) => trust.savePolicy(caller, body),
  )
}
