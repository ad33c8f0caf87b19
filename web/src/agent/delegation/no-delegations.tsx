import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useOff } from '../../auth/permissions.ts'
import buttonStyles from '../../shared/ui/button.module.css'
import { Button } from '../../shared/ui/button.tsx'
import { State } from '../../shared/ui/states.tsx'
import { controlId, DELEGATES } from '../fields/table.ts'

/** There is nothing to show as a graph or a table. */
export function NoDelegations({ id }: { id: string }): ReactElement {
  const off = useOff('agent:write')
  return (
    <State
      icon="graph"
      title="No delegations"
      actions={
        off === false ? (
          <Link
            to="/agents/$id/configuration"
            params={{ id }}
            hash={controlId(DELEGATES.name)}
            className={buttonStyles.button}
            preload={false}
          >
            Add agents
          </Link>
        ) : (
          <Button off={off} reason="beside">
            Add agents
          </Button>
        )
      }
    >
      It hands work to no agent, and no agent of your team hands work to it.
    </State>
  )
}
