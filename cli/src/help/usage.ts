import type { Argument, Command, Option } from '../grammar/types.ts'

export const PROGRAM = 'agent-console'

/** Such as `agent-console agents set AGENT FIELD=VALUE… [options]`. */
export function usageOf({ path, args, options }: Command): string {
  const words = [PROGRAM, path, ...args.map(showArgument), ...(options.length > 0 ? ['[options]'] : [])]
  return words.join(' ')
}

function showArgument({ name, isOptional, isRepeated }: Argument): string {
  const shown = `${name}${isRepeated ? '…' : ''}`
  return isOptional ? `[${shown}]` : shown
}

/** Such as `-o, --output FORMAT`. */
export function showOption({ name, short, value }: Option): string {
  return `${short ? `-${short}, ` : ''}--${name}${value === undefined ? '' : ` ${value}`}`
}
