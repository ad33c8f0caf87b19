import type { Style } from './style.ts'

/** What a command prints, in every format. */
export interface Result {
  /** For `json` and `yaml`. A test checks its schema: scripts read it. */
  data: unknown
  /** For `name`. */
  names: readonly string[]
  /** For `table`, for people. */
  render: (style: Style) => string
  /** 0 if absent. */
  exitCode?: number
}
