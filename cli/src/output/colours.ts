import type { Colour } from './style.ts'

const BY_VALUE: Record<string, Colour> = {
  // Status.
  ...{ active: 'green', creating: 'cyan', pending: 'yellow', under_review: 'yellow', draft: 'dim' },
  ...{ deprecated: 'dim', archived: 'dim', rejected: 'red' },
  // Trust stage.
  ...{ registered: 'dim', tested: 'yellow', hardened: 'cyan' },
  ...{ trusted: 'green', optimized: 'green', adapted: 'green' },
  // Protection.
  ...{ unprotected: 'red', configured: 'yellow', guarded: 'green' },
  // Services.
  ...{ up: 'green', starting: 'cyan', document_unreachable: 'red', document_invalid: 'red' },
  ...{ closed: 'green', half_open: 'yellow', open: 'red' },
  // Revisions and events.
  ...{ created: 'green', updated: 'blue', restored: 'magenta', trust_stage_changed: 'cyan' },
  ...{ deleted: 'red', recovered: 'green' },
  // Audit.
  ...{ permission_refused: 'red', secrets_read: 'yellow' },
  // Evolution.
  ...{ awaiting_approval: 'yellow', proposing: 'cyan', evaluating: 'cyan', idle: 'dim', accepted: 'green' },
}

/** The colour of a state. Undefined: none. */
export const colourOf = (value: string): Colour | undefined =>
  Object.hasOwn(BY_VALUE, value) ? BY_VALUE[value] : undefined
