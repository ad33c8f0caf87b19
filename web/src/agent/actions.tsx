import type { Agent, AgentResult, TrustStage } from '@agent-console/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactElement, useMemo, useState } from 'react'
import { api, keys, queryClient } from '../api/client.ts'
import { describe, isStatus } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { type Neighbours, neighboursOf } from '../shared/left-list.ts'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { CopyButton, copyText } from '../shared/ui/copy.tsx'
import { Dialog } from '../shared/ui/dialog.tsx'
import { MoveStageDialog } from '../shared/ui/dialogs.tsx'
import { Field } from '../shared/ui/field.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import { Menu, MenuItem, MenuSeparator } from '../shared/ui/menu.tsx'
import { toast } from '../shared/ui/toast.tsx'
import styles from './agent.module.css'
import { DeleteDialog } from './delete-dialog.tsx'
import { useChangeAgent, useMoveStage } from './mutations.ts'

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

/** To the agents beside this one in the list that was left. An agent that was opened by its address has none. */
function StepButtons({ id }: { id: string }): ReactElement | null {
  const { next, previous } = useSteps(id)
  if (next === undefined && previous === undefined) return null
  return (
    <>
      <IconButton
        icon="back"
        label="Previous agent (K)"
        off={previous === undefined && 'The list has none before'}
        onClick={previous}
      />
      <IconButton
        icon="forward"
        label="Next agent (J)"
        off={next === undefined && 'The list has none after'}
        onClick={next}
      />
      <span className="vsep" />
    </>
  )
}

export function useNeighbours(id: string): Neighbours | undefined {
  return useMemo(() => neighboursOf(id), [id])
}

interface Steps {
  /** Opens the next agent of the list that was left, on the same tab. undefined: there is none. */
  next: (() => void) | undefined
  previous: (() => void) | undefined
}

/** j and k, as in the list. */
function useSteps(id: string): Steps {
  const neighbours = useNeighbours(id)
  const navigate = useNavigate()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const steps = useMemo((): Steps => {
    const step = (to: string | undefined): (() => void) | undefined =>
      to === undefined ? undefined : () => void navigate({ to: pathname.replace(id, to) })
    return { next: step(neighbours?.next), previous: step(neighbours?.previous) }
  }, [id, neighbours, navigate, pathname])
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: 'j', label: 'Next agent of the list', group: 'Agent', run: () => steps.next?.() },
      { keys: 'k', label: 'Previous agent of the list', group: 'Agent', run: () => steps.previous?.() },
    ],
    [steps],
  )
  useKeys(shortcuts)
  return steps
}

const MAX_NAME = 255
const ENDING = ' (copy)'

interface CloneDialogProps {
  agent: Agent
  onClose: () => void
}

function CloneDialog({ agent, onClose }: CloneDialogProps): ReactElement {
  const [name, setName] = useState(agent.agent_name.slice(0, MAX_NAME - ENDING.length) + ENDING)
  // One key for all tries: a second click after a lost response makes no second copy.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const navigate = useNavigate()
  const clone = useMutation({
    mutationFn: () => api().agents.clone(agent.id, { agent_name: name.trim() }, { idempotencyKey }),
    onSuccess: async ({ agent: made }) => {
      onClose()
      void queryClient.invalidateQueries({ queryKey: keys.agents })
      await navigate({ to: '/agents/$id/configuration', params: { id: made.id } })
      toast({ text: `${made.agent_name} is a draft. Set its secrets before you use it.` })
    },
  })
  const failure = clone.error === null ? undefined : describe(clone.error)
  const off = name.trim() === '' ? 'Enter a name first' : clone.isPending && 'The request is running'
  return (
    <Dialog open onClose={onClose} title={`Copy “${agent.agent_name}”`}>
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (off === false) clone.mutate()
        }}
      >
        <p className="t2">
          The copy is a draft with the same configuration. Secrets, trust stage, protection and evaluations
          are not copied.
        </p>
        <Field label="Name of the copy" fault={failure && `Not copied: ${failure.detail} (${failure.code})`}>
          {(control) => (
            <TextInput
              {...control}
              tall
              data-autofocus
              maxLength={MAX_NAME}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button type="submit" variant="primary" size="lg" off={off}>
            Create the copy
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
