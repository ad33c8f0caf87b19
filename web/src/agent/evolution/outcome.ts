import { ApiError, ConnectionFailed, TimedOut, ValidationFailed } from '@agent-console/sdk'

export interface Explanation {
  title: string
  text: string
  /** The same request may work later. */
  mayRetry: boolean
}

const NOT_CONFIGURED: Explanation = {
  title: 'This console has no evolution service',
  text: 'Trying again does not help. Ask the operator of the console to connect one (EVOLUTION_URL).',
  mayRetry: false,
}

/** Why the status cannot be shown; undefined: an error like any other. */
export function explainStatus(error: unknown): Explanation | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'upstream_not_configured') return NOT_CONFIGURED
  if (error.status === 404) {
    return {
      title: 'The evolution service does not know this agent',
      text: 'It has no status for it yet. Seed a genome to begin.',
      mayRetry: true,
    }
  }
  if (error.status === 502) {
    return {
      title: 'The evolution service failed',
      text:
        'It was reached, and answered with an error of its own. The console and the agent are not affected. ' +
        'Try again later, or tell its operator the request id.',
      mayRetry: true,
    }
  }
  if (error.code === 'upstream_unavailable') {
    return {
      title: 'The evolution service is not reachable',
      text:
        'The console could not connect to it, or has stopped trying for a moment after repeated failures. ' +
        'The console and the agent are not affected.',
      mayRetry: true,
    }
  }
  if (error.status === 504) {
    return {
      title: 'The evolution service did not respond in time',
      text: 'It was reached, but took too long. It may be busy: try again in a moment.',
      mayRetry: true,
    }
  }
  return undefined
}

export interface SeedOutcome {
  outcome: 'refused' | 'not sent' | 'unknown'
  title: string
  text: string
}

/** What is known about a genome after an error: creating it twice would be wrong, so nothing is repeated. */
export function explainSeed(error: unknown): SeedOutcome {
  if (error instanceof ValidationFailed) {
    const faults = error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`)
    return {
      outcome: 'refused',
      title: 'The evolution service refused the genome',
      text: faults.length === 0 ? error.detail : faults.join('; '),
    }
  }
  if (error instanceof ApiError) {
    const explained = explainStatus(error)
    if (error.status === 503 || error.status === 429) {
      return {
        outcome: 'not sent',
        title: explained?.title ?? 'The console is too busy',
        text: 'Nothing was created. Your text is kept: try again later.',
      }
    }
    if (error.status === 502 || error.status === 504) return unknown(explained?.title)
    if (error.status < 500) {
      return {
        outcome: 'refused',
        title: 'The genome was refused',
        text: error.detail || `Status ${error.status}.`,
      }
    }
    return unknown('The console failed')
  }
  if (error instanceof ConnectionFailed) return unknown('The connection was lost')
  if (error instanceof TimedOut) return unknown('No response came in time')
  return unknown('Something went wrong')
}

function unknown(title = 'The evolution service failed'): SeedOutcome {
  return {
    outcome: 'unknown',
    title,
    text:
      'The genome may have been created or not. It is not sent again by itself, because that could create ' +
      'a second one. Look at the status or ask the evolution service before you send it again.',
  }
}
