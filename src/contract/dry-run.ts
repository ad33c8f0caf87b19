import { Type } from 'typebox'

/** The query of operations that can say what they would do. */
export const DryRunQuery = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'true: change nothing, and return what the request would do, with the `revision` of each agent. If the ' +
        'request that makes the change sends these revisions, it refuses agents that have changed since. ' +
        'Default: false.',
    }),
  ),
})
