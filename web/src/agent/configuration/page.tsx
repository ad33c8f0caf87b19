import type { AgentResult } from '@agent-console/sdk'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe } from '../../api/problem.ts'
import { useMe } from '../../auth/permissions.ts'
import { draftKey } from '../../shared/drafts.ts'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { useAgent } from '../queries.ts'
import { useStart } from './draft.ts'
import { ConfigurationEditor } from './editor.tsx'

const route = getRouteApi('/agents/$id/configuration')

export function ConfigurationPage(): ReactElement {
  const { id } = route.useParams()
  const { data, error, refetch } = useAgent(id)
  if (data !== undefined) return <Started key={id} id={id} latest={data} />
  if (error === null) return <Loading what="the configuration" />
  return (
    <Failed
      title="The configuration could not be loaded"
      failure={describe(error)}
      onRetry={() => void refetch()}
    />
  )
}

function Started({ id, latest }: { id: string; latest: AgentResult }): ReactElement {
  const draft = draftKey(useMe().user_id, 'configuration', id)
  const start = useStart(id, draft, latest)
  if (start === undefined) return <Loading what="your unsaved changes" />
  return <ConfigurationEditor id={id} draft={draft} latest={latest} start={start} />
}
