import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'

/** A row as JSON, with its numbers as they are written, and the line where it starts. */
export interface YamlRow {
  json: string
  line: number | null
}

/** The message continues "the body …". */
export class YamlNotReadable extends Error {}

const MAX_ALIASES = 100
const MAX_DEPTH = 64
/** Of the JSON: aliases can repeat what is long. */
const MAX_LENGTH = 4 * 1024 * 1024

/** The items of a YAML sequence. */
export function yamlToJson(text: string): YamlRow[] {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    ...{ version: '1.2', schema: 'core', stringKeys: true, prettyErrors: false },
    ...{ lineCounter: lines, logLevel: 'silent' },
  })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) throw new YamlNotReadable(`is not valid YAML at line ${lines.linePos(problem.pos[0]).line}`)
  const { contents } = document
  if (!isSeq(contents)) throw new YamlNotReadable('is no YAML sequence')
  const toJson = createWriter(document)
  return (contents.items as (Node | null)[]).map((item) => {
    const start = item?.range?.[0]
    return { json: toJson(item), line: start === undefined ? null : lines.linePos(start).line }
  })
}

function createWriter(document: Document) {
  let aliases = 0
  let length = 0
  const write = (node: unknown, depth: number): string => {
    if (depth > MAX_DEPTH) throw new YamlNotReadable('is nested too deep')
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) throw new YamlNotReadable(`has more than ${MAX_ALIASES} aliases`)
      return write(node.resolve(document), depth + 1)
    }
    if (isSeq(node)) return `[${node.items.map((item) => write(item, depth + 1)).join()}]`
    if (isMap(node)) {
      const members = node.items.map(
        ({ key, value }) => `${write(key, depth + 1)}:${write(value, depth + 1)}`,
      )
      return `{${members.join()}}`
    }
    const json = isScalar(node) ? scalarToJson(node.value, node.source) : 'null'
    length += json.length
    if (length > MAX_LENGTH) throw new YamlNotReadable('is too large when its aliases are resolved')
    return json
  }
  return (node: unknown) => write(node, 0)
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Larger than every double: what reads the JSON reports that the number is not finite. */
const NOT_A_NUMBER = '1e999'

function scalarToJson(value: unknown, source: string | undefined): string {
  if (typeof value !== 'number') return JSON.stringify(value ?? null)
  if (source !== undefined && JSON_NUMBER.test(source)) return source
  // Such as 0x1F, +1 and .5.
  const isExact = Number.isSafeInteger(value) || (Number.isFinite(value) && (source?.length ?? 0) <= 15)
  return isExact ? String(value) : NOT_A_NUMBER
}
