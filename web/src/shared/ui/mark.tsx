import type { ReactElement } from 'react'

export function Mark(): ReactElement {
  return (
    <svg className="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="5" className="f-acc" />
      <path className="mark-a" d="M5 14.2 10 5l5 9.2M7.4 10.8h5.2" />
    </svg>
  )
}
