import type { Fault } from './faults.ts'

/** The place of a value in a document. */
export type Path = readonly (string | number)[]

/** One document of a YAML file, as it was written. */
export interface SourceDocument {
  /** As the user names it. */
  file: string
  /** Whether it is the only one of its file. */
  isOnly: boolean
  value: unknown
  /** The line of a value, or of the nearest one around it. */
  lineOf: (path: Path) => number
}

/** The parts of a YAML node that are used here. */
interface Node {
  range?: readonly number[] | null
  items?: readonly (Node | Pair)[]
}

interface Pair {
  key: Node & { value?: unknown }
  value: Node | null
}

/** Every document of a file, or what is wrong with the file. */
export async function parseDocuments(
  text: string,
  file: string,
): Promise<{ documents: SourceDocument[]; faults: Fault[] }> {
  const { LineCounter, parseAllDocuments } = await import('../output/yaml.ts')
  const lines = new LineCounter()
  const parsed = [parseAllDocuments(text.replace(/^\ufeff/, ''), { lineCounter: lines, prettyErrors: false })]
    .flat()
    // A comment after the last `---` is a document without contents.
    .filter(({ contents, errors }) => !isNothing(contents) || errors.length > 0)
  const line = (offset: number) => lines.linePos(offset).line
  const faults = parsed.flatMap(({ errors }) =>
    errors.map(({ pos, message }) => ({ file, line: line(pos[0]), message: `not valid YAML: ${message}` })),
  )
  if (faults.length > 0) return { documents: [], faults }
  const documents = parsed.flatMap((document): SourceDocument[] => {
    try {
      const value = document.toJS({ maxAliasCount: 100 }) as unknown
      const lineOf = (path: Path) => line(offsetOf(document.contents, path))
      return [{ file, isOnly: parsed.length === 1, value, lineOf }]
    } catch (error) {
      faults.push({ file, line: 1, message: (error as Error).message })
      return []
    }
  })
  return { documents, faults }
}

const isNothing = (contents: unknown) =>
  contents === null || (Object(contents) as { value?: unknown }).value === null

function offsetOf(root: Node | null, path: Path): number {
  let node = root
  let offset = root?.range?.[0] ?? 0
  for (const segment of path) {
    const { key, value } = childOf(node, segment)
    const range = (key ?? value)?.range
    if (!range) return offset
    offset = range[0] ?? offset
    node = value
  }
  return offset
}

function childOf(node: Node | null, segment: string | number): { key?: Node; value: Node | null } {
  const items = node?.items ?? []
  if (typeof segment === 'number') return { value: (items[segment] as Node | undefined) ?? null }
  const pair = items.find((item): item is Pair => 'key' in item && item.key.value === segment)
  return pair ?? { value: null }
}
