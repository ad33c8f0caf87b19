export interface Alert {
  name: string
  expr: string
  /** How long it must last. */
  for: string
  /** `page`: a person must act now. `ticket`: in working hours. */
  severity: 'page' | 'ticket'
  summary: string
  /** The page in docs/runbooks. */
  runbook: string
  /** For the test of the rule: series of one value a minute, in the notation of promtool, with which it fires at a time. */
  fires: Example
  /** Series with which it does not. All alerts are tested with all of them at once: equal series must have equal values. */
  quiet: Record<string, string>
}

export interface Example {
  series: Record<string, string>
  at: string
  /** Of the alert, beside its severity. */
  labels?: Record<string, string>
}
