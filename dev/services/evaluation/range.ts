export interface Part {
  first: number
  /** Included, as in the header. */
  last: number
}

/** The part that a Range header asks for (RFC 9110 section 14). Undefined for the whole: also where several parts are
 * asked for, or in another unit, which a server may ignore. */
export function readRange(header: string | undefined, size: number): Part | 'unsatisfiable' | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return undefined
  if (from === '') {
    const length = Math.min(Number(to), size)
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 }
  }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return undefined
  if (first >= size) return 'unsatisfiable'
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
