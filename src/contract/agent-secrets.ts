import { type Static, Type } from 'typebox'
import { nullable } from './fields.ts'

export const AgentSecrets = Type.Object(
  {
    api_key: nullable(Type.String()),
    white_box_config: Type.Object({ github_token: nullable(Type.String()) }),
  },
  {
    $id: 'AgentSecrets',
    description:
      'The secrets of an agent in clear, each in the place it has in Agent; null where there is none',
  },
)
export type AgentSecrets = Static<typeof AgentSecrets>
