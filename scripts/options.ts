/** Something that somebody typed, by its name. A mistake in it is told in a sentence. */
export function readOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/** What a command was told. A mistake in it ends the command with the sentence alone. */
export function orExit<Options>(read: () => Options): Options {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    return process.exit(1)
  }
}
