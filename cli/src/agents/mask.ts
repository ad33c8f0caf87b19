import type { Agent } from '@agent-console/sdk'

/** The response to a write contains the secrets that it set. They must not reach a terminal or a log of CI. */
export function maskSecrets<T extends Pick<Agent, 'api_key' | 'white_box_config'>>(agent: T): T {
  const { api_key: key, white_box_config: config } = agent
  return {
    ...agent,
    api_key: mask(key),
    white_box_config:
      config && 'github_token' in config ? { ...config, github_token: mask(config.github_token) } : config,
  }
}

export const isMask = (text: string) => /^\*{8}.{0,4}$/su.test(text)

/** As the console masks a secret. */
function mask<T extends string | null | undefined>(secret: T): T {
  if (!secret || isMask(secret)) return secret
  const characters = Array.from(secret)
  return `********${characters.length >= 20 ? characters.slice(-4).join('') : ''}` as T
}
