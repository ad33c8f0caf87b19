import { hash } from 'node:crypto'

/** The first byte of what is hashed for a leaf. The one of an inner node differs, so that neither can be presented as the other. */
export const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

/** The hash of a leaf of the tree. */
export function leafOf(content: Buffer): Buffer {
  return sha256(LEAF, content)
}

/** The root of the hash tree of RFC 6962 over leaves in their order. */
export function rootOf(leaves: Iterable<Buffer>): Buffer {
  // The roots of the complete trees so far, each larger than the next; `size` is the number of leaves below one.
  const complete: { size: number; root: Buffer }[] = []
  for (const leaf of leaves) {
    let tree = { size: 1, root: leaf }
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
