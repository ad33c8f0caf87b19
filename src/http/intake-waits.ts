import type { IncomingMessage } from 'node:http'

/** For how many milliseconds a request has waited before it began. Absent if it began at once. */
export const intakeWaits = new WeakMap<IncomingMessage, number>()
