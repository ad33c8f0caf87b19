import { styleText } from 'node:util'

/** One line for each step, with its time. In a terminal all lines stand there from the start and fill in. */
export interface Steps {
  /** `describe` says what the line shows once the work is done. */
  run: <T>(name: string, work: () => Promise<T>, describe: (result: T) => string) => Promise<T>
}

interface Line {
  mark: keyof typeof MARKS
  detail: string
  seconds: string
}

const NAME_WIDTH = 11
const DETAIL_WIDTH = 74
const MARKS = { waiting: '·', running: '…', done: '✓', failed: '✗' }
const COLOURS = { waiting: 'dim', running: 'yellow', done: 'green', failed: 'red' } as const

/** Nothing is written once `ending` is aborted: a step that was interrupted has not failed. */
export function createSteps(
  names: readonly string[],
  stream: NodeJS.WriteStream,
  ending: AbortSignal,
): Steps {
  const lines = new Map<string, Line>(
    names.map((name) => [name, { mark: 'waiting', detail: '', seconds: '' }]),
  )
  const isLive = stream.isTTY && stream.rows > names.length + 1
  let isDrawn = false

  const render = (name: string, { mark, detail, seconds }: Line) => {
    const text = `${name.padEnd(NAME_WIDTH)} ${shorten(detail).padEnd(DETAIL_WIDTH)}`
    const time = styleText('dim', seconds.padStart(6), { stream })
    return `  ${styleText(COLOURS[mark], MARKS[mark], { stream })} ${seconds ? `${text} ${time}` : text.trimEnd()}`
  }
  const draw = () => {
    const up = isDrawn ? `\x1b[${lines.size}A` : ''
    isDrawn = true
    stream.write(up + [...lines].map((line) => `\r\x1b[K${render(...line)}\n`).join(''))
  }
  const set = (name: string, line: Line) => {
    if (ending.aborted) return
    lines.set(name, line)
    if (isLive) draw()
    else if (line.mark !== 'running') stream.write(`${render(name, line)}\n`)
  }

  if (isLive) draw()
  return {
    run: async (name, work, describe) => {
      const startedAt = performance.now()
      set(name, { mark: 'running', detail: '', seconds: '' })
      try {
        const result = await work()
        const seconds = `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`
        set(name, { mark: 'done', detail: describe(result), seconds })
        return result
      } catch (error) {
        set(name, { mark: 'failed', detail: '', seconds: '' })
        throw error
      }
    },
  }
}

const shorten = (text: string) => (text.length > DETAIL_WIDTH ? `${text.slice(0, DETAIL_WIDTH - 1)}…` : text)
