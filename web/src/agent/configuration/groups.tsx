import type { Agent } from '@agent-console/sdk'
import { Link } from '@tanstack/react-router'
import { Fragment, type ReactElement, type ReactNode, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { formatCount } from '../../shared/format.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import fieldStyles from '../../shared/ui/field.module.css'
import { Icon } from '../../shared/ui/icon.tsx'
import { DelegatedAgents } from '../fields/delegated-agents.tsx'
import { AddField, FieldOf, FormGroup, KnownModels, useIsUsed } from '../fields/field.tsx'
import fieldsStyles from '../fields/fields.module.css'
import type { FormValues } from '../fields/form.ts'
import { focusControl, useFormParts } from '../fields/form-context.ts'
import { FIELDS, GROUPS, type GroupId } from '../fields/table.ts'
import { fieldSecrets, type SecretPart } from '../secrets/secrets.ts'
import styles from './configuration.module.css'

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

const PATHS = FIELDS.filter(({ group }) => group === 'white_box').map(({ path }) => path)

/** Tests of a black box do not read its source: without a value the fields are a button. */
function WhiteBox({ hasToken, children }: { hasToken: boolean; children: ReactNode }): ReactNode {
  const { readOnly } = useFormParts()
  const access = useWatch<FormValues, `fields.${string}`>({ name: 'fields.access_level' })
  const isUsed = useIsUsed(PATHS)
  const [isOpen, setOpen] = useState(false)
  if (hasToken || access !== 'black_box' || isUsed || isOpen) return children
  if (readOnly) return <p className={join(fieldsStyles.whole, 't3')}>Not set</p>
  const show = (): void => {
    setOpen(true)
    requestAnimationFrame(() => focusControl(PATHS[0] ?? ''))
  }
  return <AddField label="Source code" onAdd={show} />
}
