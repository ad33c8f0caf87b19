import { type ReactElement, useState } from 'react'
import { Button, IconButton, Kbd } from '../src/shared/ui/button.tsx'
import { Chip } from '../src/shared/ui/chip.tsx'
import { Field } from '../src/shared/ui/field.tsx'
import {
  Checkbox,
  RadioLine,
  Segments,
  Select,
  Switch,
  TextArea,
  TextInput,
} from '../src/shared/ui/inputs.tsx'
import { Card } from '../src/shared/ui/page.tsx'
import { PROTOCOL } from '../src/shared/words.ts'

const DAYS = [
  { value: '30', label: '30 d' },
  { value: '90', label: '90 d' },
  { value: 'all', label: 'All' },
] as const
const PROTOCOLS = Object.entries(PROTOCOL).map(([value, label]) => ({ value, label }))

export function ControlsSection(): ReactElement {
  return (
    <>
      <Card title="Buttons">
        <Buttons />
      </Card>
      <Card title="Fields">
        <Fields />
      </Card>
      <Card title="Choices and filters">
        <Choices />
      </Card>
    </>
  )
}

function Buttons(): ReactElement {
  return (
    <div className="col col-3">
      <div className="row wrap">
        <Button variant="primary" icon="add" shortcut="N">
          New agent
        </Button>
        <Button icon="link">Copy link</Button>
        <Button variant="quiet" icon="download">
          Import
        </Button>
        <Button variant="danger">Delete</Button>
        <Button variant="danger solid">Delete agent</Button>
        <Button on icon="filter">
          Filters
        </Button>
        <IconButton icon="more" label="More actions" variant="plain" />
        <IconButton icon="theme" label="Switch the theme" />
      </div>
      <div className="row wrap">
        <Button variant="primary" size="lg">
          Save revision 49
        </Button>
        <Button size="lg">Discard changes</Button>
      </div>
      <Button variant="primary" shortcut="Ctrl S" off="Rebase on revision 48 first" reason="beside">
        Save revision 49
      </Button>
      <Button off="Needs the permission agent:delete" reason="beside">
        Delete
      </Button>
      <div className="row">
        <Kbd>Ctrl K</Kbd>
        <Kbd>G</Kbd>
        <Kbd>A</Kbd>
      </div>
    </div>
  )
}

function Fields(): ReactElement {
  return (
    <div className="col col-3">
      <Field label="Name" apiName="agent_name">
        {(control) => <TextInput {...control} defaultValue="Claims intake — Großschaden & Kasko" />}
      </Field>
      <Field label="Max tokens" behaviour hint="Counted per agent, not per caller">
        {(control) => <TextInput {...control} dirty mono defaultValue="4096" suffix="tokens" />}
      </Field>
      <Field label="Endpoint" behaviour fault="Use an https address on a host of the team’s list.">
        {(control) => <TextInput {...control} dirty mono defaultValue="http://claims.intern/v2/intake" />}
      </Field>
      <Field label="Protocol" behaviour>
        {(control) => <Select {...control} options={PROTOCOLS} />}
      </Field>
      <Field label="Instruction" behaviour>
        {(control) => (
          <TextArea {...control} dirty defaultValue={'Du nimmst Schadenmeldungen\nin Österreich auf.'} />
        )}
      </Field>
    </div>
  )
}

function Choices(): ReactElement {
  const [days, setDays] = useState<(typeof DAYS)[number]['value']>('90')
  const none = (): void => undefined
  return (
    <div className="col col-3">
      <TextInput
        type="search"
        icon="search"
        placeholder="Search name or purpose"
        shortcut="/"
        aria-label="Search name or purpose"
      />
      <div className="row wrap">
        <Chip name="Status" operator="any of" value="Active, Pending" onOpen={none} onRemove={none} />
        <Chip name="Tag" operator="is" value="customer-facing" onRemove={none} />
      </div>
      <div className="row row-3">
        <Checkbox aria-label="None of the rows" />
        <Checkbox aria-label="Some of the rows" partly />
        <Checkbox aria-label="All of the rows" defaultChecked />
      </div>
      <div className="row">
        <RadioLine name="pick" defaultChecked>
          Mine
        </RadioLine>
        <RadioLine name="pick">Theirs</RadioLine>
      </div>
      <Switch defaultChecked>Single-letter keys</Switch>
      <div>
        <Segments label="Range" value={days} options={DAYS} onChange={setDays} />
      </div>
    </div>
  )
}
