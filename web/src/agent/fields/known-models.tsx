import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'

/** Models that other agents of the team use, as suggestions. */
export function KnownModels(): ReactElement {
  const { data } = useQuery({
    queryKey: keys.facets({}),
    queryFn: ({ signal }) => api().agents.facets({}, { signal }),
  })
  return (
    <datalist id="known-models">
      {(data?.facets.model_names ?? []).map(({ value }) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  )
}
