import type { ReactElement } from 'react'

/** Begin and end of an id tell it from others; the title has all of it. */
export function ShortId({ id }: { id: string }): ReactElement {
  return (
    <span className="mono" title={id}>
      {id.slice(0, 8)}…{id.slice(-4)}
    </span>
  )
}
