import type { ReactElement, ReactNode } from 'react'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import styles from './fields.module.css'
import { GROUPS, type GroupId } from './spec.ts'

interface FormGroupProps {
  id: GroupId
  /** Instead of the sentence of the group. */
  note?: ReactNode
  title?: string
  /** A part of it without a label of its own bears on the behaviour of the agent. */
  behaviour?: boolean
  children: ReactNode
}

/** A heading with the fields that belong together. */
export function FormGroup({ id, note, title, behaviour = false, children }: FormGroupProps): ReactElement {
  const [name, sentence] = GROUPS[id]
  return (
    <section className={styles.group} aria-labelledby={`group-${id}`}>
      <div>
        <h2 id={`group-${id}`} className="row row-1">
          {title ?? name}
          {behaviour ? <BehaviourMark /> : null}
        </h2>
        <p className="sm t3">{note ?? sentence}</p>
      </div>
      <div className={styles.grid}>{children}</div>
    </section>
  )
}
