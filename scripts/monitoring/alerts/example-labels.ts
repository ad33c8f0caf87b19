/** The labels that Prometheus adds to the series of a replica, for the examples of alerts. */
export const replica = { instance: 'a:9464', job: 'agent-console' }

/** The same in a selector. */
export const labels = 'instance="a:9464",job="agent-console"'
