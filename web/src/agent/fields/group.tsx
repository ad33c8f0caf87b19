import '../../shared/styles/editor.css'
import type { ReactElement, ReactNode } from 'react'
import { GROUPS, type GroupId } from './spec.ts'

interface FormGroupProps {
  id: GroupId
  /** Instead of the sentence of the group. */
  note?: ReactNode
  title?: string
  children: ReactNode
}

/** A heading with the fields that belong together. */
export function FormGroup({ id, note, title, children }: FormGroupProps): ReactElement {
  const [name, sentence] = GROUPS[id]
  return (
    <section className="grp" aria-labelledby={`group-${id}`}>
      <div>
        <h2 id={`group-${id}`}>{title ?? name}</h2>
        <p className="sm t3">{note ?? sentence}</p>
      </div>
      <div className="form-grid">{children}</div>
    </section>
  )
}
