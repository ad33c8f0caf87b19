import { Link } from '@tanstack/react-router'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { useWatch } from 'react-hook-form'
import { formatCount } from '../../shared/numbers.ts'
import { BehaviourMark } from '../../shared/ui/badges.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import { DelegatedAgents } from '../fields/delegated-agents.tsx'
import { FieldOf } from '../fields/field-of.tsx'
import type { FormValues } from '../fields/form.ts'
import { FormGroup } from '../fields/group.tsx'
import { KnownModels } from '../fields/known-models.tsx'
import { GROUPS, type GroupId } from '../fields/spec.ts'
import { FIELDS } from '../fields/table.ts'

const MAX_PROMPT = 262_144

/** All fields of the agent, by group. */
export function Groups({ id }: { id: string }): ReactElement {
  const after: Record<string, ReactNode> = {
    rate_limit_requests_per_minute: <SecretLink id={id} label="API key" />,
    'white_box_config/github_username': <SecretLink id={id} label="GitHub token" />,
  }
  return (
    <div>
      <p className="sm t3 row wrap form-legend">
        <span className="row">
          <BehaviourMark />
          bears on behaviour: saving it outdates the last evaluation
        </span>
        <span className="vsep" />
        <span className="row">
          <span className="changed-mark" />
          changed here, not saved yet
        </span>
      </p>
      <form className="col formgap" onSubmit={(event) => event.preventDefault()} noValidate>
        {(Object.keys(GROUPS) as GroupId[]).map((group) => (
          <FormGroup key={group} id={group} note={group === 'prompt' ? <PromptLength /> : undefined}>
            {FIELDS.filter((spec) => spec.group === group).map((spec) => (
              <Fragment key={spec.path}>
                <FieldOf spec={spec} />
                {after[spec.path]}
              </Fragment>
            ))}
            {group === 'delegation' ? <DelegatedAgents /> : null}
          </FormGroup>
        ))}
      </form>
      <KnownModels />
    </div>
  )
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
function SecretLink({ id, label }: { id: string; label: string }): ReactElement {
  return (
    <div className="half fld">
      <span className="lbl">{label}</span>
      <Link to="/agents/$id/secrets" params={{ id }} className="secret-link">
        <Icon name="lock" size="s" />
        Set on the secrets tab
        <Icon name="forward" size="xs" />
      </Link>
    </div>
  )
}
