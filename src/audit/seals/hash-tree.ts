import { hash } from 'node:crypto'

const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** The root of the hash tree of RFC 6962 over the leaves in their order. A leaf and an inner node begin with different bytes,
 * so that neither can be presented as the other. */
export function rootOf(leaves: readonly Buffer[]): Buffer {
  // The roots of the complete trees so far, each larger than the next; `size` is the number of leaves below one.
  const complete: { size: number; root: Buffer }[] = []
  for (const leaf of leaves) {
    let tree = { size: 1, root: sha256(LEAF, leaf) }
    while (complete.at(-1)?.size === tree.size) tree = join(complete.pop(), tree)
    complete.push(tree)
  }
  const whole = complete.reduceRight<{ size: number; root: Buffer } | undefined>(
    (right, left) => (right ? join(left, right) : left),
    undefined,
  )
  return whole?.root ?? sha256()
}

function join(left: { size: number; root: Buffer } | undefined, right: { size: number; root: Buffer }) {
  if (!left) return right
  return { size: left.size + right.size, root: sha256(NODE, left.root, right.root) }
}

function sha256(...parts: Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
