import type { Agent } from '../../contract/agent.ts'
import type { A2AAgentCard } from '../../contract/agent-card.ts'
import type { CardMetadata, StoredInterface } from '../../contract/card-metadata.ts'

const DEFAULT_MODES = ['text/plain']

/** An agent card of A2A 1.0 for an agent. Undefined if the agent does not speak A2A, or if nothing says where. The signatures of an
 * imported card are not part of it: they do not match a card that was made anew. */
export function toAgentCard(
  agent: Agent,
  revision: number,
  imported: Partial<CardMetadata> = {},
): A2AAgentCard | undefined {
  const { agent_url: url, agent_metadata: metadata } = agent
  if (agent.protocol !== 'a2a' || !url) return undefined
  const { streaming, push_notifications: push } = agent.capabilities ?? {}
  const author = metadata?.author
  const authorUrl = textOf(metadata, 'author_url')
  const documentationUrl = textOf(metadata, 'documentation_url')
  const iconUrl = textOf(metadata, 'icon_url')
  const input = imported.default_input_modes ?? DEFAULT_MODES
  const output = imported.default_output_modes ?? DEFAULT_MODES
  return {
    name: agent.agent_name,
    description: agent.purpose ?? metadata?.description ?? '',
    version: metadata?.version || String(revision),
    supportedInterfaces: toInterfaces(url, imported),
    ...(author && authorUrl !== undefined && { provider: { organization: author, url: authorUrl } }),
    ...(documentationUrl !== undefined && { documentationUrl }),
    ...(iconUrl !== undefined && { iconUrl }),
    capabilities: {
      ...(typeof streaming === 'boolean' && { streaming }),
      ...(typeof push === 'boolean' && { pushNotifications: push }),
      ...(imported.extended_agent_card !== undefined && { extendedAgentCard: imported.extended_agent_card }),
      ...(imported.extensions && { extensions: imported.extensions }),
    },
    defaultInputModes: input,
    defaultOutputModes: output,
    skills: (agent.skills ?? []).flatMap((skill) => toSkill(skill as Record<string, unknown>, input, output)),
    ...(imported.security_schemes && { securitySchemes: imported.security_schemes }),
    ...(imported.security_requirements && { securityRequirements: imported.security_requirements }),
  }
}

function toInterfaces(url: string, { interfaces = [] }: Partial<CardMetadata>) {
  const own = interfaces.find((each) => each.url === url) ?? {
    ...{ url, protocol_binding: 'JSONRPC', protocol_version: '1.0' },
  }
  return [own, ...interfaces.filter((each) => each !== own)].map(
    ({ url: address, protocol_binding, protocol_version, tenant }: StoredInterface) => ({
      ...{ url: address, protocolBinding: protocol_binding, protocolVersion: protocol_version },
      ...(tenant !== undefined && { tenant }),
    }),
  )
}

/** Skills may have any form. Only one with an id and a name can be in a card. */
function toSkill(skill: Record<string, unknown>, input: string[], output: string[]) {
  const id = textOf(skill, 'id')
  const name = textOf(skill, 'name')
  if (id === undefined || name === undefined) return []
  const examples = textsOf(skill, 'examples')
  const inputModes = textsOf(skill, 'input_modes')
  const outputModes = textsOf(skill, 'output_modes')
  return [
    {
      ...{ id, name, description: textOf(skill, 'description') ?? '', tags: textsOf(skill, 'tags') ?? [] },
      ...(examples && { examples }),
      ...(inputModes && !isSame(inputModes, input) && { inputModes }),
      ...(outputModes && !isSame(outputModes, output) && { outputModes }),
    },
  ]
}

function textOf(object: object | null | undefined, name: string): string | undefined {
  const value = (object as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textsOf(object: Record<string, unknown>, name: string): string[] | undefined {
  const value = object[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined
}

const isSame = (a: string[], b: string[]) =>
  a.length === b.length && a.every((item, index) => item === b[index])
