import type { ReactElement } from 'react'
import { plural } from '../../shared/format.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import { Banner } from '../../shared/ui/page.tsx'
import { personName } from '../../shared/words.ts'
import { fieldLabel } from '../fields/labels.ts'
import type { RestoreEffect, Warning } from './diff-rows.ts'
import styles from './history.module.css'

interface RestorePreviewProps {
  target: number
  base: number
  effect: RestoreEffect
}

export function RestorePreview({ target, base, effect }: RestorePreviewProps): ReactElement {
  const { fields, behaviour, warnings } = effect
  const between = target + 1 === base ? `r${base} stays` : `r${target + 1} to r${base} stay`
  return (
    <>
      <dl className={join(styles.facts, styles.effect)}>
        <div>
          <dt className="sm t2">Makes</dt>
          <dd>
            <span className="b6">Revision {base + 1}</span>
            <span className="t2">, {between} in the history</span>
          </dd>
        </div>
        <div>
          <dt className="sm t2">Changes back</dt>
          <dd>
            <span className="b6">{plural(fields.length, 'field')}</span>
            {behaviour === 0 ? null : (
              <span className="t2">
                , of which <BehaviourMark /> {behaviour} {behaviour === 1 ? 'bears' : 'bear'} on behaviour
              </span>
            )}
            {fields.length === 0 ? null : (
              <span className={join(styles.names, 'sm t3')}>{fields.map(fieldLabel).join(', ')}</span>
            )}
          </dd>
        </div>
        <div>
          <dt className="sm t2">Does not touch</dt>
          <dd>
            <span className="b6">Secrets and trust stage</span>
            <span className="t2">; they have their own history</span>
          </dd>
        </div>
      </dl>
      <Warnings warnings={warnings} />
    </>
  )
}

/** What the restore opens again: more access or less protection than now. */
function Warnings({ warnings }: { warnings: readonly Warning[] }): ReactElement | null {
  const [first] = warnings
  if (first === undefined) return null
  if (warnings.length === 1) {
    return (
      <Banner tone="warn" icon={<Icon name="alert" />} title={first.title}>
        {changedBy(first)}
      </Banner>
    )
  }
  return (
    <Banner
      tone="warn"
      icon={<Icon name="alert" />}
      title={`${warnings.length} values go back to more access or less protection`}
    >
      <ul className="col col-1 mt2">
        {warnings.map((warning) => (
          <li key={warning.title}>
            <span className="b5">{warning.title}</span> {changedBy(warning)}
          </li>
        ))}
      </ul>
    </Banner>
  )
}

function changedBy({ changedBy: last }: Warning): string {
  if (last === undefined) return 'Make sure that this is meant.'
  const { changed_by: id, changed_by_name: name, revision, reason } = last
  const who = `${personName(name, id)} changed it last, in r${revision}`
  return reason === null ? `${who}.` : `${who}: “${reason}”.`
}
