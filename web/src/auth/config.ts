/** What GET /console/config.json tells a browser that is not signed in yet. */
export interface WebConfig {
  issuer: string
  client_id: string
  scope: string
  /** Absent: the issuer needs no resource to choose the audience of the token. */
  resource?: string
}

class ConfigUnavailable extends Error {}

export async function readConfig(): Promise<WebConfig> {
  const response = await fetch('/console/config.json', { cache: 'no-store' })
  if (!response.ok) throw new ConfigUnavailable(`GET /console/config.json: ${response.status}`)
  return (await response.json()) as WebConfig
}
