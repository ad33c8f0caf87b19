import { parse as parseYaml } from 'yaml'
import { dropEmpty, isNode, type Node } from './tree.ts'

/** Why a document cannot be used, in sentences. */
export class DocumentBroken extends Error {
  readonly faults: readonly string[]

  constructor(...faults: string[]) {
    super(faults.join(' '))
    this.name = 'DocumentBroken'
    this.faults = faults
  }
}

export const MOST_BYTES = 8 * 1024 * 1024
const MOST_VALUES = 1_000_000
const MOST_LEVELS = 128

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The object that a document is, from JSON or YAML, with nothing in it that unfolds into more than it is. */
export function readDocument(bytes: Uint8Array): Node {
  if (bytes.length > MOST_BYTES) throw new DocumentBroken(`It is larger than ${MOST_BYTES} bytes.`)
  const text = decode(bytes)
  // YAML would read JSON as well, at a twentieth of the speed.
  const isJson = /^\s*\{/.test(text)
  const document = parse(text, isJson ? JSON.parse : parseYaml)
  if (!isNode(document)) throw new DocumentBroken('It is not an object.')
  measure(document)
  // An alias of YAML makes one object of several places; from here on each is its own.
  const own = isJson ? document : (JSON.parse(JSON.stringify(document)) as Node)
  dropEmpty(own)
  return own
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw new DocumentBroken('It is not UTF-8.')
  }
}

function parse(text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new DocumentBroken(`It is neither JSON nor YAML: ${reason}`)
  }
}

/** What an alias of YAML stands for is counted at each place, as it would be written. */
function measure(document: Node): void {
  let values = 0
  const visit = (value: unknown, level: number) => {
    values++
    if (values > MOST_VALUES) throw new DocumentBroken(`It has more than ${MOST_VALUES} values.`)
    if (level > MOST_LEVELS) throw new DocumentBroken(`It is nested deeper than ${MOST_LEVELS} levels.`)
    if (typeof value !== 'object' || value === null) return
    // Whoever copies such an object changes what the copy inherits from.
    if (Object.hasOwn(value, '__proto__')) throw new DocumentBroken('It uses the name __proto__.')
    for (const key in value) visit((value as Node)[key], level + 1)
  }
  visit(document, 0)
}
