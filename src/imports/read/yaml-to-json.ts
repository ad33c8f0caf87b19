import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'

/** A row as JSON, with its numbers as they are written, and the line where it starts. */
export interface YamlRow {
  json: string
  line: number | null
}

/** What the thread of a body gets. */
export interface YamlJob {
  text: string
  maxRows: number
}

/** The message continues "the body …". */
export class YamlNotReadable extends Error {}

const MAX_ALIASES = 100
const MAX_DEPTH = 64
/** Of the JSON: aliases can repeat what is long, and what is many but empty. */
const MAX_LENGTH = 4 * 1024 * 1024
/** Two brackets and a comma. */
const COLLECTION_LENGTH = 3
/** The parser also knows others, such as `!!binary`. */
const CORE_TAGS = ['str', 'int', 'float', 'bool', 'null', 'seq', 'map'].map(
  (name) => `tag:yaml.org,2002:${name}`,
)

/** The items of a YAML sequence, those after `maxRows` left out. */
export function yamlToJson(text: string, maxRows: number): YamlRow[] {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    ...{ version: '1.2', schema: 'core', stringKeys: true, prettyErrors: false },
    // With `silent`, the parser leaves out all documents but the first, without an error.
    ...{ lineCounter: lines, logLevel: 'error' },
  })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem?.code === 'MULTIPLE_DOCS') throw new YamlNotReadable('has more than one YAML document')
  if (problem) throw new YamlNotReadable(`is not valid YAML at line ${lines.linePos(problem.pos[0]).line}`)
  const { contents } = document
  if (!isSeq(contents)) throw new YamlNotReadable('is no YAML sequence')
  const toJson = createWriter(document)
  return (contents.items as (Node | null)[]).slice(0, maxRows).map((item) => {
    const start = item?.range?.[0]
    return { json: toJson(item), line: start === undefined ? null : lines.linePos(start).line }
  })
}

function createWriter(document: Document) {
  const targets = findTargets(document)
  let aliases = 0
  let length = 0
  const count = (added: number) => {
    length += added
    if (length > MAX_LENGTH) throw new YamlNotReadable('is too large when its aliases are resolved')
  }
  const write = (node: unknown, depth: number): string => {
    if (depth > MAX_DEPTH) throw new YamlNotReadable('is nested too deep')
    if (isAlias(node)) {
      if (++aliases > MAX_ALIASES) throw new YamlNotReadable(`has more than ${MAX_ALIASES} aliases`)
      return write(targets.get(node), depth + 1)
    }
    if (isNode(node) && node.tag !== undefined && !CORE_TAGS.includes(node.tag)) {
      throw new YamlNotReadable('has a tag that the core schema does not have')
    }
    if (isCollection(node)) count(COLLECTION_LENGTH)
    if (isSeq(node)) return `[${node.items.map((item) => write(item, depth + 1)).join()}]`
    if (isMap(node)) {
      const members = node.items.map(
        ({ key, value }) => `${write(key, depth + 1)}:${write(value, depth + 1)}`,
      )
      return `{${members.join()}}`
    }
    const json = isScalar(node) ? scalarToJson(node.value, node.source) : 'null'
    count(json.length)
    return json
  }
  return (node: unknown) => write(node, 0)
}

/** What each alias stands for: the last node before it with its anchor. `resolve` of an alias would search the whole document for
 * each of them, and return undefined if there is none. */
function findTargets(document: Document): Map<Alias, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Alias: (_, alias) => {
      const target = anchors.get(alias.source)
      if (!target)
        throw new YamlNotReadable('has an alias without an anchor: quote a text that starts with *')
      targets.set(alias, target)
    },
    Value: (_, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node)
    },
  })
  return targets
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
