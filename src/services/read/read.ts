import { parse as parseYaml } from 'yaml'
import { DocumentInvalid } from '../document/invalid.ts'
import { DATA, isNode, type Node, walk } from '../document/tree.ts'

export const MAX_BYTES = 8 * 1024 * 1024
const MAX_VALUES = 1_000_000
const MAX_LEVELS = 128

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a document from JSON or YAML, within bounds of size and depth. */
export function readDocument(bytes: Uint8Array): Node {
  if (bytes.length > MAX_BYTES) throw new DocumentInvalid(`It is larger than ${MAX_BYTES} bytes.`)
  const text = attempt(() => utf8.decode(bytes), 'It is not UTF-8')
  // The YAML parser also reads JSON, at a twentieth of the speed.
  const isJson = /^\s*\{/.test(text)
  const parse: (text: string) => unknown = isJson ? JSON.parse : parseYaml
  const document = attempt(() => parse(text), 'It is neither JSON nor YAML')
  if (!isNode(document)) throw new DocumentInvalid('It is not an object.')
  checkBounds(document)
  // A YAML alias puts the same object in several places. Later stages change objects in place, so each must be separate.
  const separate = isJson ? document : (JSON.parse(JSON.stringify(document)) as Node)
  if (!isJson || text.includes('null')) dropEmpty(separate)
  return separate
}

function attempt<Result>(run: () => Result, failure: string): Result {
  try {
    return run()
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    throw new DocumentInvalid(`${failure}: ${reason}`)
  }
}

/** Counts what a YAML alias stands for at each place where it is used. */
function checkBounds(document: Node): void {
  let values = 0
  const visit = (value: unknown, level: number) => {
    values++
    if (values > MAX_VALUES) throw new DocumentInvalid(`It has more than ${MAX_VALUES} values.`)
    if (level > MAX_LEVELS) throw new DocumentInvalid(`It is nested deeper than ${MAX_LEVELS} levels.`)
    if (typeof value !== 'object' || value === null) return
    // Copying such an object would change the prototype of the copy.
    if (Object.hasOwn(value, '__proto__')) throw new DocumentInvalid('It uses the name __proto__.')
    for (const key in value) visit((value as Node)[key], level + 1)
  }
  visit(document, 0)
}

/** An empty YAML value is null. Outside of data it is treated as absent. */
function dropEmpty(document: Node): void {
  walk(document, (node) => {
    for (const key of Object.keys(node)) {
      if (node[key] === null && !DATA.has(key) && !key.startsWith('x-')) delete node[key]
    }
  })
}
