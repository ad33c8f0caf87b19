import type { Agent } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import { formatCount } from '../../shared/numbers.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import fieldStyles from '../../shared/ui/field.module.css'
import { Icon } from '../../shared/ui/icon.tsx'
import { DelegatedAgents } from '../fields/delegated-agents.tsx'
import { FieldOf } from '../fields/field-of.tsx'
import fieldsStyles from '../fields/fields.module.css'
import type { FormValues } from '../fields/form.ts'
import { FormGroup } from '../fields/group.tsx'
import { KnownModels } from '../fields/known-models.tsx'
import { GROUPS, type GroupId } from '../fields/spec.ts'
import { FIELDS } from '../fields/table.ts'
import { fieldSecrets, type SecretPart } from '../secrets/parts.ts'
import styles from './configuration.module.css'
import { WhiteBox } from './white-box.tsx'

const MAX_PROMPT = 262_144

/** All fields of the agent, by group. */
export function Groups({ agent }: { agent: Agent }): ReactElement {
  const [key, token] = fieldSecrets(agent)
  const after: Record<string, ReactNode> = {
    rate_limit_requests_per_minute: <SecretLink id={agent.id} secret={key} />,
    'white_box_config/github_username': <SecretLink id={agent.id} secret={token} />,
  }
  return (
    <div>
      <p className={join(styles.legend, 'sm t3 row wrap')}>
        <span className="row">
          <BehaviourMark />
          bears on behaviour: saving it outdates the last evaluation
        </span>
        <span className="vsep" />
        <span className="row">
          <span className={styles.changedMark} />
          changed here, not saved yet
        </span>
      </p>
      <form className={join(styles.groups, 'col')} onSubmit={(event) => event.preventDefault()} noValidate>
        {(Object.keys(GROUPS) as GroupId[]).map((group) => (
          <FormGroup
            key={group}
            id={group}
            behaviour={group === 'delegation'}
            note={group === 'prompt' ? <PromptLength /> : undefined}
          >
            {group === 'white_box' ? (
              <WhiteBox hasToken={token.mask !== null}>{fieldsOf(group, after)}</WhiteBox>
            ) : (
              fieldsOf(group, after)
            )}
            {group === 'delegation' ? <DelegatedAgents /> : null}
          </FormGroup>
        ))}
      </form>
      <KnownModels />
    </div>
  )
}

/** `after`: what stands behind a field, by its path. */
function fieldsOf(group: GroupId, after: Record<string, ReactNode>): ReactElement[] {
  return FIELDS.filter((spec) => spec.group === group).map((spec) => (
    <Fragment key={spec.path}>
      <FieldOf spec={spec} />
      {after[spec.path]}
    </Fragment>
  ))
}

function PromptLength(): ReactElement {
  const text = useWatch<FormValues, `fields.${string}`>({ name: 'fields.agent_system_prompt' })
  return (
    <>
      {formatCount((text ?? '').length)} of {formatCount(MAX_PROMPT)} characters
    </>
  )
}

/** Secrets are no part of this form: they are set, shown and recorded on a page of their own. */
function SecretLink({ id, secret: { label, mask } }: { id: string; secret: SecretPart }): ReactElement {
  return (
    <div className={join(fieldsStyles.half, fieldStyles.field)}>
      <span className={fieldStyles.label}>{label}</span>
      <span className={styles.secretLine}>
        <Icon name="lock" size="s" className="t3" />
        {mask === null ? <span className="t3">Not set</span> : <span className="mono">{mask}</span>}
        <span className="t3">·</span>
        <Link to="/agents/$id/secrets" params={{ id }} className="link">
          {mask === null ? 'Set in Secrets' : 'Change in Secrets'}
          <span className="hid"> for {label}</span>
        </Link>
      </span>
    </div>
  )
}
