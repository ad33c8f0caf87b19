import type { ReactElement, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface ChipProps {
  /** "Status" */
  name: string
  /** "any of" */
  operator?: string
  value: ReactNode
  /** Opens the choice of this filter. */
  onOpen?: () => void
  onRemove: () => void
}

/** A filter that is on. */
export function Chip({ name, operator, value, onOpen, onRemove }: ChipProps): ReactElement {
  const text = (
    <>
      <span className="k">{name}</span>
      {operator === undefined ? null : <span className="op">{operator}</span>}
      <span className="v">{value}</span>
    </>
  )
  return (
    <span className="chip">
      {onOpen === undefined ? (
        <span className="chip-text">{text}</span>
      ) : (
        <button type="button" className="chip-text focus-in" onClick={onOpen}>
          {text}
        </button>
      )}
      <button
        type="button"
        className="x focus-in"
        aria-label={`Remove the filter ${name}`}
        onClick={onRemove}
      >
        <Icon name="close" size="xs" />
      </button>
    </span>
  )
}
