import type { ConditionalOptions, CreateOptions, ImpactOptions } from '../options.ts'

/** The options of a change that are headers. */
export function changeHeaders(
  options: CreateOptions & ConditionalOptions & ImpactOptions,
): Record<string, string | undefined> {
  const { reason, ifRevision, refuseIfDependents, idempotencyKey } = options
  return {
    // Headers are bytes: the console reads percent-encoded UTF-8.
    'console-change-reason': reason === undefined ? undefined : encodeURIComponent(reason),
    'if-match': ifRevision === undefined ? undefined : `"${ifRevision}"`,
    'console-refuse-if-dependents': refuseIfDependents,
    'idempotency-key': idempotencyKey,
  }
}
