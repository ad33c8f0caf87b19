import { SCRIPTS } from '../completion/scripts.ts'
import type { Run } from '../context.ts'
import type { SHELLS } from '../grammar/words.ts'

export const run: Run = async ({ args: [shell = ''] }) => {
  // The table of commands allows only these shells.
  const script = SCRIPTS[shell as (typeof SHELLS)[number]]()
  return { data: { shell, script }, names: [shell], render: () => script }
}
