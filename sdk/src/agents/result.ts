import type { Reply } from '../client/read-response.ts'
import type { Agent, AgentResult } from '../types.ts'

export function agentResult({ data, headers, requestId }: Reply<unknown>): AgentResult {
  return {
    // The console sends every member; the document does not say so.
    agent: data as Agent,
    revision: revisionOf(headers),
    ignoredFields: list(headers, 'console-ignored-fields'),
    credentialWarnings: list(headers, 'console-credential-warnings'),
    requestId,
  }
}

/** The revision is the ETag; a proxy that compresses makes it weak. */
export function revisionOf(headers: Headers): number {
  return Number(/\d+/.exec(headers.get('etag') ?? ''))
}

function list(headers: Headers, name: string): string[] {
  const text = headers.get(name)
  return text === null ? [] : text.split(', ').map(decodeURIComponent)
}
