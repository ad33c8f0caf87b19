import type { Format } from '../grammar/global-options.ts'
import type { Result } from './result.ts'
import type { Style } from './style.ts'

/** The text of a result in a format, with the end of its last line. */
export async function format(result: Result, as: Format, style: Style): Promise<string> {
  if (as === 'json') return `${JSON.stringify(result.data, null, 2)}\n`
  if (as === 'yaml') return toYaml(result.data)
  if (as === 'name') return result.names.map((name) => `${name}\n`).join('')
  return ending(result.render(style))
}

export async function toYaml(data: unknown): Promise<string> {
  const { stringify } = await import('./yaml.ts')
  // Without folding, a long line stays one line and can be searched for.
  return stringify(data, { lineWidth: 0 })
}

const ending = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
