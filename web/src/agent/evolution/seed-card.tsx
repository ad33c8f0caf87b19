import type { Genome } from '@agent-console/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api, keys } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { Button } from '../../shared/ui/button.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Field } from '../../shared/ui/field.tsx'
import { Icon } from '../../shared/ui/icon.tsx'
import inputsStyles from '../../shared/ui/inputs.module.css'
import { TextArea } from '../../shared/ui/inputs.tsx'
import { Banner, Card } from '../../shared/ui/page.tsx'
import styles from './evolution.module.css'
import { explainSeed } from './outcome.ts'
import { readGenome } from './status.ts'

/** Seeds a genome. It is sent once: a repetition would create another one. */
export function SeedCard({ id }: { id: string }): ReactElement {
  const [text, setText] = useState(() => JSON.stringify({ agent_id: id, name: '', traits: {} }, null, 2))
  const client = useQueryClient()
  const seed = useMutation({
    mutationFn: (genome: Genome) => api().evolution.seed(genome, { maxRetries: 0 }),
    onSuccess: () => void client.invalidateQueries({ queryKey: keys.evolution(id) }),
  })
  const read = readGenome(text)
  const fault = 'fault' in read ? read.fault : undefined
  const isNameless = 'genome' in read && read.genome['name'] === ''
  const off =
    (fault !== undefined && 'Correct the JSON first') ||
    (isNameless && 'Give the genome a name first') ||
    (seed.isPending && 'The request is running')
  return (
    <Card title="Seed a genome">
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (off === false && 'genome' in read) seed.mutate(read.genome)
        }}
      >
        <p className="t2 sm">
          The evolution service evolves the agent from this genome. The service decides which fields a genome
          has; the console sends yours unchanged.
        </p>
        <Field
          label="Genome"
          hint="A JSON object."
          fault={fault}
          action={
            <Button
              variant="quiet"
              size="s"
              off={fault === undefined ? false : 'Correct the JSON first'}
              onClick={() => setText('genome' in read ? JSON.stringify(read.genome, null, 2) : text)}
            >
              Format
            </Button>
          }
        >
          {(control) => (
            <TextArea
              {...control}
              rows={12}
              value={text}
              onChange={(event) => {
                setText(event.target.value)
                seed.reset()
              }}
            />
          )}
        </Field>
        <Button type="submit" variant="primary" off={off} reason="beside">
          {seed.isPending ? 'Sending…' : seed.isError ? 'Send again' : 'Seed genome'}
        </Button>
        {seed.isError ? <SeedFailed error={seed.error} /> : null}
        {seed.isSuccess ? (
          <>
            <Banner tone="accent" icon={<Icon name="check" />} title="The genome was created">
              The evolution service answered:
            </Banner>
            <pre className={join(inputsStyles.area, styles.json)}>{JSON.stringify(seed.data, null, 2)}</pre>
          </>
        ) : null}
      </form>
    </Card>
  )
}

function SeedFailed({ error }: { error: Error }): ReactElement {
  const { outcome, title, text } = explainSeed(error)
  const { code, requestId } = describe(error)
  return (
    <Banner
      tone={outcome === 'unknown' ? 'warn' : 'danger'}
      urgent
      icon={<Icon name="alert" />}
      title={outcome === 'unknown' ? `${title}: the outcome is not known` : title}
    >
      <p>{text}</p>
      <p className="mono t3 any-wrap mt2">
        {[code, requestId === undefined ? undefined : `req ${requestId}`].filter(Boolean).join(' · ')}
      </p>
    </Banner>
  )
}
