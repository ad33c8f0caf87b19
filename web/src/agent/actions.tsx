import type { AgentResult, TrustStage } from '@agent-console/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useMemo, useState } from 'react'
import { describe, isStatus } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { copyText } from '../shared/ui/copy.ts'
import { CopyButton } from '../shared/ui/copy-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../shared/ui/menu.tsx'
import { MoveStageDialog } from '../shared/ui/move-stage-dialog.tsx'
import { CloneDialog } from './actions/clone-dialog.tsx'
import { DeleteDialog } from './actions/delete-dialog.tsx'
import styles from './agent.module.css'
import { useChangeAgent, useMoveStage } from './mutations.ts'
import { StepButtons } from './step-buttons.tsx'

export function AgentActions({ result }: { result: AgentResult }): ReactElement {
  const { agent, revision } = result
  const { id } = agent
  const [open, setOpen] = useState<'stage' | 'clone' | 'delete' | undefined>()
  const navigate = useNavigate()
  const offWrite = useOff('agent:write')
  const offMove = useOff('agent:lifecycle')
  const offDelete = useOff('agent:delete')
  const move = useMoveStage(id)
  const change = useChangeAgent(id)
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      {
        keys: 'e',
        label: 'Edit',
        group: 'Agent',
        icon: 'edit',
        run: () => void navigate({ to: '/agents/$id/configuration', params: { id } }),
      },
      {
        keys: 'm',
        label: 'Move stage',
        group: 'Agent',
        icon: 'chart',
        off: offMove,
        run: () => setOpen('stage'),
      },
    ],
    [id, offMove, navigate],
  )
  useKeys(shortcuts)
  const archived = agent.status === 'archived'
  return (
    <div className={join(styles.actions, 'row')}>
      <StepButtons id={id} />
      <span className={styles.wide}>
        <CopyButton text={() => location.href} label="Copy link" done="Link copied" icon="link" />
      </span>
      <Button
        icon="chart"
        shortcut="M"
        off={offMove}
        onClick={() => setOpen('stage')}
        className={styles.wide}
      >
        Move stage
      </Button>
      <Menu trigger={<IconButton icon="more" label="More actions" variant="plain" />}>
        <MenuItem icon="chart" off={offMove} onSelect={() => setOpen('stage')}>
          Move stage…
        </MenuItem>
        <MenuItem icon="link" onSelect={() => void copyText(location.href, 'Link copied')}>
          Copy the link
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => void copyText(id, 'Id copied')}>
          Copy the id
        </MenuItem>
        <MenuItem icon="duplicate" off={offWrite} onSelect={() => setOpen('clone')}>
          Copy as a new agent…
        </MenuItem>
        <MenuItem
          icon="archive"
          off={offWrite}
          onSelect={() =>
            change.mutate({
              changes: { status: archived ? 'active' : 'archived' },
              revision,
              undo: { status: agent.status },
              done: archived ? 'Active again' : 'Archived',
            })
          }
        >
          {archived ? 'Take out of the archive' : 'Archive'}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger off={offDelete} onSelect={() => setOpen('delete')}>
          Delete…
        </MenuItem>
      </Menu>
      {open === 'stage' ? (
        <MoveStageDialog
          what={agent.agent_name}
          current={agent.trust_stage}
          busy={move.isPending}
          fault={move.error === null ? undefined : faultOf(move.error)}
          onClose={() => {
            move.reset()
            setOpen(undefined)
          }}
          onMove={(stage, reason) =>
            move.mutate(
              { stage: stage as TrustStage, reason, revision },
              { onSuccess: () => setOpen(undefined) },
            )
          }
        />
      ) : null}
      {open === 'clone' ? <CloneDialog agent={agent} onClose={() => setOpen(undefined)} /> : null}
      {open === 'delete' ? <DeleteDialog result={result} onClose={() => setOpen(undefined)} /> : null}
    </div>
  )
}

function faultOf(error: Error): string {
  if (isStatus(error, 412)) {
    return 'Another user changed the agent meanwhile. Nothing was moved; look at the change, then move again.'
  }
  const { detail, code } = describe(error)
  return `Not moved: ${detail} (${code})`
}
