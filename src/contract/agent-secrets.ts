import { type Static, Type } from 'typebox'
import { nullable } from './fields.ts'

const secret = (description: string) => nullable(Type.String({ description }))

export const AgentSecrets = Type.Object(
  {
    api_key: secret('The API key of the agent in clear text. null: the agent has none.'),
    white_box_config: Type.Object(
      { github_token: secret('The GitHub token of the agent in clear text. null: the agent has none.') },
      { description: 'The secret of the source-code access configuration.' },
    ),
  },
  {
    $id: 'AgentSecrets',
    description: 'The secrets of an agent in clear text, each in the place that it has in Agent.',
  },
)
export type AgentSecrets = Static<typeof AgentSecrets>
