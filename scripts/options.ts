/** Adds the name of the option to the error of its parser. */
export function readOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${name} ${(error as Error).message}`, { cause: error })
  }
}

/** Prints only the message of an error, without a stack, and exits. */
export function orExit<Options>(read: () => Options): Options {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    return process.exit(1)
  }
}
