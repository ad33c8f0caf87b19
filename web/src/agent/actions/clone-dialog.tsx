import type { Agent } from '@agent-console/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { queryClient } from '../../api/query-client.ts'
import { Button } from '../../shared/ui/button.tsx'
import { Dialog } from '../../shared/ui/dialog.tsx'
import { Field } from '../../shared/ui/field.tsx'
import { TextInput } from '../../shared/ui/inputs.tsx'
import { toast } from '../../shared/ui/toast.tsx'

const MAX_NAME = 255
const ENDING = ' (copy)'

interface CloneDialogProps {
  agent: Agent
  onClose: () => void
}

export function CloneDialog({ agent, onClose }: CloneDialogProps): ReactElement {
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
