import { type ReactElement, useState } from 'react'
import { Button } from '../src/shared/ui/button.tsx'
import { Dialog } from '../src/shared/ui/dialog.tsx'
import { ConfirmDialog } from '../src/shared/ui/dialogs.tsx'
import { Icon } from '../src/shared/ui/icon.tsx'
import {
  Menu,
  MenuCheckItem,
  MenuItem,
  MenuRadioGroup,
  MenuSeparator,
  Popover,
} from '../src/shared/ui/menu.tsx'
import { Banner, Card } from '../src/shared/ui/page.tsx'
import { Toast, toast } from '../src/shared/ui/toast.tsx'

const none = (): void => undefined
const ORDERS = [
  { value: 'changed', label: 'Last change' },
  { value: 'name', label: 'Name' },
] as const

export function OverlaysSection(): ReactElement {
  return (
    <>
      <Card title="Banners">
        <div className="col col-3">
          <Banner icon={<Icon name="info" />} title="Every reveal is recorded" />
          <Banner tone="accent" icon={<Icon name="info" />} title="A new version of the console is there" />
          <Banner
            tone="warn"
            icon={<Icon name="alert" />}
            title="Priya saved revision 48 while you were editing"
          >
            Nothing of yours is lost.
          </Banner>
          <Banner
            tone="danger"
            icon={<Icon name="alert" />}
            title="1 field needs a correction before this can be saved"
          >
            Endpoint must be an https address.
          </Banner>
        </div>
      </Card>
      <Card title="Toasts">
        <div className="col col-3">
          <Toast text="Saved as revision 49" action={{ label: 'Undo', run: none }} onClose={none} />
          <Toast
            text="2 of 3 moved; 1 was refused"
            fault
            action={{ label: 'Show results', run: none }}
            onClose={none}
          />
          <Button onClick={() => toast({ text: 'Link copied' })}>Show a toast</Button>
        </div>
      </Card>
      <Card title="Layers">
        <Layers />
      </Card>
    </>
  )
}

function Layers(): ReactElement {
  const [open, setOpen] = useState<'dialog' | 'drawer' | 'delete' | undefined>()
  const [checked, setChecked] = useState(true)
  const [order, setOrder] = useState<(typeof ORDERS)[number]['value']>('changed')
  const close = (): void => setOpen(undefined)
  return (
    <div className="row wrap">
      <Menu align="start" trigger={<Button icon="more">Menu</Button>}>
        <MenuItem icon="chart" shortcut="M" onSelect={none}>
          Move stage…
        </MenuItem>
        <MenuItem icon="key" off="Needs agent:secret" onSelect={none}>
          Reveal secrets
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={none}>
          Delete…
        </MenuItem>
        <MenuSeparator />
        <MenuCheckItem checked={checked} onChange={setChecked}>
          Column “Model”
        </MenuCheckItem>
        <MenuSeparator />
        <MenuRadioGroup label="Order" value={order} options={ORDERS} onChange={setOrder} />
      </Menu>
      <Popover title="Popover" trigger={<Button>Popover</Button>}>
        {(closePopover) => <Button onClick={closePopover}>Done</Button>}
      </Popover>
      <Button onClick={() => setOpen('dialog')}>Dialog</Button>
      <Button onClick={() => setOpen('drawer')}>Drawer</Button>
      <Button variant="danger" onClick={() => setOpen('delete')}>
        Irreversible
      </Button>
      <Dialog
        open={open === 'dialog'}
        onClose={close}
        title="Dialog"
        footer={<Button onClick={close}>Done</Button>}
      >
        <p className="t2">Only for what cannot be undone, or needs a few answers.</p>
      </Dialog>
      <Dialog open={open === 'drawer'} onClose={close} title="Drawer" kind="drawer">
        <p className="t2">Filters on a narrow screen.</p>
      </Dialog>
      <ConfirmDialog
        open={open === 'delete'}
        onClose={close}
        title="Delete “Invoice bot (test 3)”?"
        typed="Invoice bot (test 3)"
        confirm="Delete agent"
        keep="Keep it"
        onConfirm={close}
      >
        Its 4 revisions and its secrets are gone for good. The audit log keeps that you did it.
      </ConfirmDialog>
    </div>
  )
}
