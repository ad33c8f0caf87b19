import { styleText } from 'node:util'
import type { Io, Output } from '../io.ts'
import { absoluteTime, relativeTime } from './time.ts'

export type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta' | 'dim' | 'bold'

/** How to print for people on one output. */
export interface Style {
  /** Undefined: as wide as the text is. */
  readonly columns: number | undefined
  paint: (text: string, colour: Colour | undefined) => string
  /** Relative on a terminal; in a file it would soon be wrong. */
  time: (unixSeconds: number | null | undefined) => string
}

export function createStyle(output: Output, io: Pick<Io, 'env' | 'now'>, isColourless: boolean): Style {
  const isColoured = !isColourless && hasColours(output, io.env)
  return {
    columns: output.columns,
    paint: (text, colour) =>
      isColoured && colour !== undefined && text !== ''
        ? styleText(colour, text, { validateStream: false })
        : text,
    time: (seconds) => {
      if (seconds === null || seconds === undefined) return ''
      return output.isTerminal ? relativeTime(seconds, io.now()) : absoluteTime(seconds)
    },
  }
}

/** https://no-color.org: any value but the empty one. */
function hasColours({ isTerminal }: Output, env: Io['env']): boolean {
  return isTerminal && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
}
