import { newId } from '../client/request-headers.ts'
import type { ConditionalOptions, CreateOptions } from '../options.ts'
import type { TrustStage } from '../types.ts'

export interface ImpactOptions {
  /** Change nothing and raise `Conflict` if agents at this trust stage or a later one delegate to the agent. */
  refuseIfDependents?: TrustStage | undefined
}

interface ChangeHeaders {
  'console-change-reason'?: string
  'if-match'?: string
  'console-refuse-if-dependents'?: TrustStage
}

export function changeHeaders(options: ConditionalOptions & ImpactOptions): ChangeHeaders {
  const { reason, ifRevision, refuseIfDependents } = options
  return {
    // Headers are bytes: the console reads percent-encoded UTF-8.
    ...(reason !== undefined && { 'console-change-reason': encodeURIComponent(reason) }),
    ...(ifRevision !== undefined && { 'if-match': `"${ifRevision}"` }),
    ...(refuseIfDependents !== undefined && { 'console-refuse-if-dependents': refuseIfDependents }),
  }
}

/** The key is made before the first try, so that a repetition is the same creation. */
export function creationHeaders(
  options: CreateOptions & ImpactOptions,
): ChangeHeaders & { 'idempotency-key': string } {
  return { ...changeHeaders(options), 'idempotency-key': options.idempotencyKey ?? newId() }
}
