import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactElement, useDeferredValue, useState } from 'react'
import { api } from '../api/client.ts'
import { keys } from '../api/keys.ts'
import { describe } from '../api/problem.ts'
import { useOff } from '../auth/permissions.ts'
import { Field } from '../shared/ui/field.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import { ChoiceList } from './choices.tsx'

const SHOWN = 8

/** Finds an agent by its name. */
export function AgentChoice({ onPick }: { onPick: (id: string) => void }): ReactElement {
  const [text, setText] = useState('')
  const q = useDeferredValue(text.trim())
  const off = useOff('agent:read')
  const query = {
    ...(q === '' ? {} : { q }),
    limit: SHOWN,
    sort: 'agent_name' as const,
    fields: ['agent_name' as const],
  }
  const { data, error } = useQuery({
    queryKey: keys.list(query),
    queryFn: ({ signal }) => api().agents.list(query, { signal }),
    enabled: off === false,
    placeholderData: keepPreviousData,
  })
  if (off !== false) return <p className="t2">{off}</p>
  return (
    <div className="col col-3">
      <Field label="Name">
        {(control) => (
          <TextInput
            {...control}
            icon="search"
            maxLength={255}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {error === null ? (
        data?.results.length === 0 ? (
          <p className="t2">No agent has this in its name.</p>
        ) : (
          <ChoiceList
            options={(data?.results ?? []).map(({ id, agent_name }) => [id, agent_name])}
            value={undefined}
            onPick={onPick}
          />
        )
      ) : (
        <p className="danger-t">{describe(error).detail}</p>
      )}
    </div>
  )
}
