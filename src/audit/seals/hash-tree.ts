import { hash } from 'node:crypto'

/** The first byte of what is hashed for a leaf. The one of an inner node differs, so that neither can be presented as the other. */
export const LEAF = Buffer.of(0)
const NODE = Buffer.of(1)

export const HASH_BYTES = 32

/** The most children of a node. With two, as in RFC 6962, each record costs one more hash. */
const MAX_CHILDREN = 32

/** The hash of a leaf of the tree. */
export function leafOf(content: Buffer): Buffer {
  return sha256(LEAF, content)
}

/** The root of the hash tree over leaves, which are one after the other in their order. A node is the hash of its children. */
export function rootOf(leaves: Buffer): Buffer {
  if (leaves.length === 0) return sha256()
  let level = leaves
  while (level.length > HASH_BYTES) level = Buffer.concat(parentsOf(level))
  return level
}

function parentsOf(level: Buffer): Buffer[] {
  const bytes = MAX_CHILDREN * HASH_BYTES
  return Array.from({ length: Math.ceil(level.length / bytes) }, (_, n) =>
    sha256(NODE, level.subarray(n * bytes, (n + 1) * bytes)),
  )
}

function sha256(...parts: Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
