/** Reads the CSV of an export as docs/export.md says. */
export function fromCsv(text: string): Record<string, unknown>[] {
  const [header = [], ...rows] = readRows(text)
  const names = header.map(({ text: name }) => name)
  return rows.map((cells) =>
    Object.fromEntries(names.map((name, n) => [name, toValue(name, cells[n] as Cell)])),
  )
}

interface Cell {
  text: string
  isQuoted: boolean
}

/** The columns that hold JSON. */
const JSON_COLUMNS = new Set([
  ...[
    'agent_params',
    'mcp_config',
    'delegated_agents',
    'white_box_config',
    'agent_metadata',
    'evaluated_harnesses',
  ],
  ...['import_metadata', 'capabilities', 'skills', 'latest_evaluation'],
])

function toValue(name: string, { text, isQuoted }: Cell): unknown {
  if (!isQuoted) return text === '' ? null : JSON.parse(text)
  const plain = text.startsWith("'") ? text.slice(1) : text
  return JSON_COLUMNS.has(name) ? JSON.parse(plain) : plain
}

function readRows(text: string): Cell[][] {
  const rows: Cell[][] = []
  let row: Cell[] = []
  let at = 0
  while (at < text.length) {
    const isQuoted = text[at] === '"'
    const [cell = ''] = (isQuoted ? /"(?:[^"]|"")*"/y : /[^,\r\n]*/y).exec(text.slice(at)) ?? []
    row.push({ text: isQuoted ? cell.slice(1, -1).replaceAll('""', '"') : cell, isQuoted })
    at += cell.length
    if (text[at] === ',') at += 1
    else {
      at += 2
      rows.push(row)
      row = []
    }
  }
  return rows
}
