import { inspect } from 'node:util'

const PLACEHOLDER = '[secret]'

/** Holds a secret in memory. Logging, printing, serialising or concatenating it gives the placeholder; only `reveal`
 * returns the text, so that every use of it can be found by name. */
export class SecretText {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return PLACEHOLDER
  }

  toJSON(): string {
    return PLACEHOLDER
  }

  [inspect.custom](): string {
    return PLACEHOLDER
  }
}
