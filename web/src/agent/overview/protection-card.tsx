import type { AgentResult, AgentRevision } from '@agent-console/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { rowsOf } from '../../api/client.ts'
import { useOff } from '../../auth/permissions.ts'
import { formatDay, nowSeconds, plural } from '../../shared/format.ts'
import { Absent, ProtectionBadge } from '../../shared/ui/badges.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { CopyButton } from '../../shared/ui/copy.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { DescriptionList } from '../../shared/ui/page.tsx'
import { personName } from '../../shared/words.ts'
import { useChangeAgent } from '../mutations.ts'
import { revisionsQuery } from '../queries.ts'

const DAY = 24 * 3600

const MEANING: Record<string, string> = {
  unprotected: 'No guard is set. What the agent receives and answers is not checked.',
  configured: 'A guard is set but does not stand in front of the endpoint yet.',
  guarded: 'A guard stands in front of the endpoint.',
}

export function ProtectionCard({ result }: { result: AgentResult }): ReactElement {
  const { agent, revision } = result
  const { protection_status: protection, guard_config_id: guard } = agent
  const off = useOff('agent:write')
  const change = useChangeAgent(agent.id)
  const revisions = rowsOf(useInfiniteQuery(revisionsQuery(agent.id)).data)
  const setter = revisions.find(({ fields }) => fields.includes('guard_config_id'))
  return (
    <section className={pageStyles.card}>
      <header>
        <h2>Protection</h2>
        <span className="sp" />
        <ProtectionBadge value={protection} />
      </header>
      <div className={join(pageStyles.inset, 'col col-3')}>
        <p className="t2">{MEANING[protection] ?? 'This version does not know the state.'}</p>
        <DescriptionList
          items={[
            [
              'Configuration',
              guard === null ? <NoGuardId protection={protection} /> : <GuardId id={guard} />,
            ],
            ...(guard === null && !agent.guard_manually_configured
              ? []
              : ([['Set by', setBy(agent.guard_manually_configured, setter)]] as const)),
            ['Time to trust', timeToTrust(result)],
          ]}
        />
        {protection === 'configured' ? (
          <div className="row">
            <Button
              icon="lock"
              off={off || (change.isPending && 'The request is running')}
              onClick={() =>
                change.mutate({
                  changes: { protection_status: 'guarded' },
                  undo: { protection_status: protection },
                  revision,
                  done: 'Marked as guarded',
                })
              }
            >
              Mark as guarded
            </Button>
          </div>
        ) : null}
      </div>
    </section>
  )
}

/** A guard can be set without the id of its configuration. */
function NoGuardId({ protection }: { protection: string }): ReactElement {
  if (protection === 'unprotected') return <Absent label="No guard" />
  return <span className="t3">not recorded</span>
}

function GuardId({ id }: { id: string }): ReactElement {
  return (
    <span className="row row-1">
      <span className="mono cut" title={id}>
        {id}
      </span>
      <CopyButton iconOnly text={id} label="Copy the id of the guard" done="Id copied" />
    </span>
  )
}

function setBy(byHand: boolean, setter: AgentRevision | undefined): string {
  const how = byHand ? 'hand' : 'the protection service'
  if (setter === undefined) return how
  const { changed_by: id, changed_by_name: name, changed_at: at } = setter
  return `${how}, ${personName(name, id)}, ${formatDay(at)}`
}

function timeToTrust({ agent }: AgentResult): ReactElement {
  if (agent.ttt_days !== null) return <>{plural(Math.round(agent.ttt_days), 'day')}</>
  const day = Math.floor((nowSeconds() - agent.created_at) / DAY) + 1
  return <span className="t3">not trusted yet, day {day}</span>
}
