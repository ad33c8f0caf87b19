import type { ReactElement } from 'react'
import { plural } from '../../shared/format.ts'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import styles from './fields.module.css'
import { focusControl } from './form-context.ts'
import { controlId } from './table.ts'
import type { Fault } from './update.ts'

interface FaultSummaryProps {
  faults: readonly Fault[]
  requestId: string | undefined
  /** "saved", "created" */
  done: string
}

/** All faults in one place, each with a link to its field. */
export function FaultSummary({ faults, requestId, done }: FaultSummaryProps): ReactElement | null {
  if (faults.length === 0) return null
  return (
    <section className={join(pageStyles.banner, pageStyles.danger)} role="alert" id="faults" tabIndex={-1}>
      <span className="danger-t">
        <Icon name="alert" />
      </span>
      <div className="grow">
        <div className="b6">
          {faults.length === 1 ? '1 field needs' : `${plural(faults.length, 'field')} need`} a correction
          before this can be {done}
        </div>
        <ul className={styles.faults}>
          {faults.map((fault) => (
            <li key={`${fault.name}${fault.label}${fault.message}`}>
              <FaultLink fault={fault} />
              <span className="t2">: {fault.message}</span>
            </li>
          ))}
        </ul>
      </div>
      {requestId === undefined ? null : (
        <span className="mono t3 nowrap" title={requestId}>
          422 · req {shorten(requestId)}
        </span>
      )}
    </section>
  )
}

function FaultLink({ fault: { name, label } }: { fault: Fault }): ReactElement {
  if (name === undefined) return <span className="b5">{label}</span>
  return (
    <a
      className="link"
      href={`#${controlId(name)}`}
      onClick={(event) => {
        event.preventDefault()
        focusControl(name)
      }}
    >
      {label}
    </a>
  )
}

function shorten(id: string): string {
  return id.length > 12 ? `${id.slice(0, 4)}…${id.slice(-2)}` : id
}
