import type { Priority } from '../../contract/request-budget.ts'
import type { ServiceEntry } from '../../contract/services-file.ts'

/** A service behind the console, as the services file declares it. */
export interface Service {
  readonly name: string
  /** The tag of its operations in the combined document. */
  readonly tag: string
  /** Its base URL: the paths of its document lie under it. */
  readonly url: string
  readonly documentUrl: string
  /** The paths it may own: `/v1/teams`, `/v1/teams/{team_id}/members`. */
  readonly prefixes: readonly string[]
  /** What it gets as a token. */
  readonly token: ServiceEntry['token']
  /** The audience of the tokens that are made for it. */
  readonly audience: string
  /** The permissions that callers need: one for GET, HEAD and OPTIONS, one for all other methods. */
  readonly readPermission: string | undefined
  readonly writePermission: string | undefined
  /** Of the permits that its calls take from the request budgets of agents. */
  readonly budgetPriority: Priority
  readonly deadlineMs: number
  /** Requests in flight at the same time. */
  readonly maxInFlight: number
  readonly maxRequestBytes: number
  /** Undefined means no limit. */
  readonly maxResponseBytes: number | undefined
  readonly pollMs: number
  /** The share of its responses that is checked against its document, from 0 to 1. */
  readonly sampleRatio: number
}
