import type { ReactElement } from 'react'
import tagStyles from '../src/agent/revisions.module.css'
import {
  Avatar,
  Badge,
  BehaviourMark,
  EvaluationBadge,
  ProtectionBadge,
  Score,
  type ServiceState,
  StageBadge,
  StateGlyph,
  StatusBadge,
} from '../src/shared/ui/badges.tsx'
import { join } from '../src/shared/ui/class-names.ts'
import { ICONS, Icon, type IconName } from '../src/shared/ui/icon.tsx'
import { Card } from '../src/shared/ui/page.tsx'
import { PROTECTION, STAGES, STATUS } from '../src/shared/words.ts'
import styles from './gallery.module.css'

const SERVICES: Record<ServiceState, string> = {
  ok: 'Up',
  starting: 'Starting',
  half: 'Not live',
  warning: 'Document broken',
  failed: 'Unreachable',
  off: 'Off',
}

export function BadgesSection(): ReactElement {
  return (
    <>
      <Card title="Badges: a silhouette and a word each">
        <div className="col col-3">
          <div className={styles.badges}>
            {Object.keys(STATUS).map((value) => (
              <StatusBadge key={value} value={value} />
            ))}
          </div>
          <hr />
          <div className={styles.badges}>
            {Object.keys(STAGES).map((value) => (
              <StageBadge key={value} value={value} />
            ))}
          </div>
          <hr />
          <div className={styles.badges}>
            {Object.keys(PROTECTION).map((value) => (
              <ProtectionBadge key={value} value={value} />
            ))}
            <EvaluationBadge value="current" />
            <EvaluationBadge value="outdated" />
            <EvaluationBadge value="none" />
            <Score value={0.94} behind={0} />
            <Score value={0.87} behind={3} />
            <Score value={null} behind={undefined} />
          </div>
          <hr />
          <div className={styles.badges}>
            {Object.entries(SERVICES).map(([value, word]) => (
              <Badge key={value} glyph={<StateGlyph value={value as ServiceState} />}>
                {word}
              </Badge>
            ))}
          </div>
        </div>
      </Card>
      <Card title="Pills, people, marks">
        <div className="col col-4">
          <div className="row wrap">
            <StatusBadge pill value="active" />
            <StageBadge pill value="hardened" />
            <ProtectionBadge pill value="unprotected" />
            <EvaluationBadge pill="warn" value="outdated" />
            <Badge pill="danger">Fault</Badge>
            <Badge pill="accent">New</Badge>
          </div>
          <div className="row wrap">
            <Avatar name="Ada Novák" large />
            <Avatar name="Zoë Wójcik" />
            <Avatar name="Наталья Петрова" />
            <Avatar name={null} />
            <Avatar name="nightly-eval" kind="service" />
            <BehaviourMark word />
          </div>
          <div className="row wrap">
            <span className={tagStyles.tag}>model_name</span>
            <span className={join(tagStyles.tag, tagStyles.behaviour)}>agent_system_prompt</span>
            <span className={join(tagStyles.tag, tagStyles.sans)}>4 tools</span>
          </div>
        </div>
      </Card>
      <Card title="Icons">
        <ul className={styles.icons}>
          {Object.keys(ICONS).map((name) => (
            <li key={name}>
              <Icon name={name as IconName} />
              <span className="xs t3 cut">{name}</span>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}
