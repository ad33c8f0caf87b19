import type { ReactElement } from 'react'
import { FieldOf } from '../fields/field-of.tsx'
import { FormGroup } from '../fields/group.tsx'
import { KnownModels } from '../fields/known-models.tsx'
import type { GroupId } from '../fields/spec.ts'
import { FIELDS } from '../fields/table.ts'

interface Part {
  group: GroupId
  title: string
  note: string
  paths: readonly string[]
}

const PARTS: readonly Part[] = [
  {
    group: 'identity',
    title: 'Identity',
    note: 'What people see',
    paths: ['agent_name', 'purpose', 'agent_metadata/role', 'agent_metadata/tags', 'status'],
  },
  {
    group: 'model',
    title: 'Model',
    note: 'Where it answers from',
    paths: ['model_name', 'protocol', 'agent_url', 'hub', 'rate_limit_requests_per_minute'],
  },
  {
    group: 'prompt',
    title: 'Behaviour',
    note: 'Optional. Empty means the model’s own default',
    paths: [
      'agent_system_prompt',
      'agent_params/temperature',
      'agent_params/top_p',
      'agent_params/max_tokens',
      'agent_params/timeout',
      'access_level',
    ],
  },
]

/** Paths of the fields that the form shows. */
export const SHOWN: readonly string[] = PARTS.flatMap(({ paths }) => paths)

/** What the API takes where nothing is given. */
export const DEFAULTS: Readonly<Record<string, string>> = {
  status: 'active',
  protocol: 'chat_completions',
  hub: 'custom',
  rate_limit_requests_per_minute: '100',
  access_level: 'black_box',
}

export function CreateGroups(): ReactElement {
  return (
    <>
      {PARTS.map(({ group, title, note, paths }) => (
        <FormGroup key={group} id={group} title={title} note={note}>
          {FIELDS.filter(({ path }) => paths.includes(path))
            .toSorted((a, b) => paths.indexOf(a.path) - paths.indexOf(b.path))
            .map((spec) => (
              <FieldOf key={spec.path} spec={spec} />
            ))}
        </FormGroup>
      ))}
      <KnownModels />
    </>
  )
}
