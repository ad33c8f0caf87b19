import { isNode, type Node } from './tree.ts'

/** Fields that pages render as Markdown. */
const TEXT_FIELDS = new Set(['title', 'summary', 'description', '$comment'])
/** Fields that pages turn into links. */
const URL_FIELDS = new Set(['url', 'externalValue', 'namespace'])
const PROTOCOLS = ['http:', 'https:', 'mailto:']

/** Makes the text of an object safe to render: the page that shows it is on the console's origin. */
export function cleanText(node: Node): void {
  for (const key in node) {
    const value = node[key]
    if (key.startsWith('x-')) node[key] = cleanExtension(value)
    else if (key === 'externalDocs' && isNode(value) && !isSafeUrl(value['url'])) delete node[key]
    else if (typeof value !== 'string') continue
    else if (TEXT_FIELDS.has(key)) node[key] = escapeText(value)
    else if (URL_FIELDS.has(key) && !isSafeUrl(value)) delete node[key]
  }
}

/** `](target` of a link or an image, and `[label]: target` at the start of a line. */
const LINK_TARGET = /(\]\(\s*|^[ >]*\[[^\]\n]*\]:\s*)(<[^>\n]*>|(?:\([^\s()]*\)|[^\s()])+)/gm
/** HTML begins with `<` and one of these; a comparison such as `a < b` does not. */
const TAG_START = /<(?=[a-z/!?])/gi

/** Escapes HTML, and replaces the target of a link with an unsafe protocol by `#`. */
export function escapeText(text: string): string {
  return text
    .replaceAll(LINK_TARGET, (link, opening: string, target: string) =>
      isSafeTarget(target.replaceAll(/^<|>$/g, '')) ? link : `${opening}#`,
    )
    .replaceAll(TAG_START, '&lt;')
}

/** A colon before the first slash, question mark or hash must belong to an allowed protocol. `&` and `\` are refused
 * there, because they could encode a colon. */
function isSafeTarget(target: string): boolean {
  const [start = ''] = target.split(/[/?#]/, 1)
  if (/[&\\]/.test(start)) return false
  return !start.includes(':') || isSafeUrl(target)
}

function isSafeUrl(url: unknown): boolean {
  return typeof url === 'string' && PROTOCOLS.includes(URL.parse(url)?.protocol ?? '')
}

const SCRIPT_URL = /^[\s\p{C}]*(?:javascript|vbscript|data)[\s\p{C}]*:/iu

/** What an extension means is not known, so all of its strings count as text. */
function cleanExtension(value: unknown): unknown {
  if (typeof value === 'string') return SCRIPT_URL.test(value) ? '' : escapeText(value)
  if (Array.isArray(value)) return value.map(cleanExtension)
  if (!isNode(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cleanExtension(member)]))
}
