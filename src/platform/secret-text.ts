import { inspect } from 'node:util'

const SHOWN = '[secret]'

/** A secret on its way through the process. Whatever logs, prints, serialises or concatenates it shows that there
 * is one and nothing more; only `reveal` lets it out, so that every such place can be found by name. */
export class SecretText {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  reveal(): string {
    return this.#text
  }

  toString(): string {
    return SHOWN
  }

  toJSON(): string {
    return SHOWN
  }

  [inspect.custom](): string {
    return SHOWN
  }
}
