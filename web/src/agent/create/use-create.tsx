import { ValidationFailed } from '@agent-console/sdk'
import { useNavigate } from '@tanstack/react-router'
import { type ReactElement, useRef, useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { api, keys, queryClient } from '../../api/client.ts'
import { dropDraft, readDraft } from '../../shared/drafts.ts'
import { toast } from '../../shared/ui/toast.tsx'
import { faultsAfterEdit, locate } from '../fields/faults.ts'
import { FieldOf, FormGroup, KnownModels } from '../fields/field.tsx'
import { type FormValues, type Source, toForm } from '../fields/form.ts'
import { focusFault } from '../fields/form-context.ts'
import { FIELDS, type GroupId } from '../fields/table.ts'
import { type Fault, toUpdate } from '../fields/update.ts'
import { toCreate } from './import.ts'

export interface CreateDraft {
  source: Source
  values: FormValues
}

interface Failure {
  faults: readonly Fault[]
  requestId: string | undefined
  error?: unknown
}

const NONE: Failure = { faults: [], requestId: undefined }

export interface Creation {
  form: UseFormReturn<FormValues>
  /** What was imported; the form holds edits of it. */
  source: Source
  failure: Failure
  isSending: boolean
  take: (source: Source) => void
  submit: () => void
  clear: () => void
  clearFault: (name: string) => void
}

export function useCreate(draft: string): Creation {
  const [start] = useState(() => readDraft<CreateDraft>(draft)?.values)
  const [source, setSource] = useState<Source>(start?.source ?? {})
  const form = useForm<FormValues>({ defaultValues: start?.values ?? toForm({}) })
  const [failure, setFailure] = useState(NONE)
  const [isSending, setSending] = useState(false)
  const attempt = useRef({ body: '', key: '' })
  const navigate = useNavigate()

  function refuse(faults: readonly Fault[], requestId?: string): void {
    // The form shows only the usual fields; a fault of an imported one stands in the summary.
    const shown = faults.map((fault) => (isShown(fault.name) ? fault : { ...fault, name: undefined }))
    setFailure({ faults: shown, requestId })
    focusFault(shown)
  }

  async function send(): Promise<void> {
    const values = form.getValues()
    const { update, faults } = toUpdate(source, values)
    const missing = missingOf(values, faults)
    if (faults.length + missing.length > 0) return refuse([...missing, ...faults])
    const body = toCreate(source, update)
    setSending(true)
    setFailure(NONE)
    try {
      const { agent } = await api().agents.create(body, { idempotencyKey: keyFor(body) })
      dropDraft(draft)
      void queryClient.invalidateQueries({ queryKey: keys.agents })
      toast({ text: `Created ${agent.agent_name}` })
      await navigate({ to: '/agents/$id', params: { id: agent.id }, ignoreBlocker: true })
    } catch (error) {
      if (error instanceof ValidationFailed) refuse(error.faults.map(locate), error.requestId)
      else setFailure({ ...NONE, error })
    } finally {
      setSending(false)
    }
  }

  /** The same agent again is the same creation, also after a lost response. */
  function keyFor(body: object): string {
    const text = JSON.stringify(body)
    if (attempt.current.body !== text) attempt.current = { body: text, key: newKey() }
    return attempt.current.key
  }

  return {
    form,
    source,
    failure,
    isSending,
    take: (next) => {
      setSource(next)
      setFailure(NONE)
      form.reset(toForm(next))
    },
    submit: () => {
      if (!isSending) void send()
    },
    clear: () => {
      dropDraft(draft)
      setSource({})
      setFailure(NONE)
      form.reset(toForm({}))
    },
    clearFault: (name) =>
      setFailure((old) => {
        const faults = faultsAfterEdit(old.faults, name)
        return faults === old.faults ? old : { ...old, faults }
      }),
  }
}

function isShown(name: string | undefined): boolean {
  return name !== undefined && SHOWN.includes(name)
}

function missingOf({ fields }: FormValues, faults: readonly Fault[]): Fault[] {
  return Object.entries({ agent_name: 'Name', model_name: 'Model' })
    .filter(([path]) => fields[path]?.trim() === '' && !faults.some(({ name }) => name === path))
    .map(([name, label]) => ({ name, label, message: 'Must not be empty.' }))
}

/** Not crypto.randomUUID, which browsers offer only over HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}

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
