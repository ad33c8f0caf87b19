import { useLinkProps, useLocation } from '@tanstack/react-router'
import { type ReactElement, useState } from 'react'
import { toastFailure } from '../api/problem.ts'
import {
  deleteView,
  faultOfName,
  findView,
  renameView,
  type SavedView,
  saveView,
  searchOfView,
  useViews,
} from '../api/views.ts'
import { useOff } from '../auth/permissions.ts'
import { Button, IconButton } from '../shared/ui/button.tsx'
import { Dialog } from '../shared/ui/dialog.tsx'
import { Field } from '../shared/ui/field.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { TextInput } from '../shared/ui/inputs.tsx'
import { Menu, MenuItem } from '../shared/ui/menu.tsx'
import { toast } from '../shared/ui/toast.tsx'
import styles from './shell.module.css'

const FIRST = 8

export function SavedViews(): ReactElement | null {
  const views = useViews()
  const current = useOpenView()
  const [all, setAll] = useState(false)
  if (views.length === 0) return null
  const shown = all ? views : views.slice(0, FIRST)
  return (
    <div className={styles.views}>
      <h2>Saved views</h2>
      <ul>
        {shown.map((view) => (
          <li key={`${view.scope}/${view.name}`} className={styles.viewLine}>
            <ViewLink view={view} isOpen={view === current} />
            <ViewMenu view={view} />
          </li>
        ))}
      </ul>
      {shown.length < views.length ? (
        <button type="button" className="facet-more link" onClick={() => setAll(true)}>
          {views.length - shown.length} more
        </button>
      ) : null}
    </div>
  )
}

/** The saved views on a phone, which has no room for them in its navigation. */
export function PhoneViews({ onOpen }: { onOpen: () => void }): ReactElement | null {
  const views = useViews()
  const current = useOpenView()
  if (views.length === 0) return null
  return (
    <section>
      <h3 className="sm t2">Saved views</h3>
      <ul className={styles.phoneViews}>
        {views.map((view) => (
          <li key={`${view.scope}/${view.name}`}>
            <ViewLink view={view} isOpen={view === current} onClick={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ViewLinkProps {
  view: SavedView
  isOpen: boolean
  onClick?: (() => void) | undefined
}

/** The router would take every view with the same filters for the open one. */
function ViewLink({ view, isOpen, onClick }: ViewLinkProps): ReactElement {
  const link = useLinkProps({ to: '/agents', search: searchOfView(view), onClick })
  const ofTeam = view.scope === 'team'
  return (
    <a
      {...link}
      aria-current={isOpen ? 'page' : undefined}
      title={ofTeam ? `${view.name}, of the team` : view.name}
    >
      <Icon name={ofTeam ? 'people' : 'star'} size="s" />
      <span className="cut">{view.name}</span>
    </a>
  )
}

/** Rename and delete. A view of the team needs the permission to change agents. */
function ViewMenu({ view }: { view: SavedView }): ReactElement {
  const [renaming, setRenaming] = useState(false)
  const write = useOff('agent:write')
  const off = view.scope === 'team' && write
  const remove = async (): Promise<void> => {
    try {
      await deleteView(view)
      const undo = (): void => void saveView(view).catch((error: unknown) => toastFailure('Not saved', error))
      toast({ text: `View “${view.name}” deleted`, action: { label: 'Undo', run: undo } })
    } catch (error) {
      toastFailure('The view was not deleted', error)
    }
  }
  return (
    <>
      <Menu
        trigger={
          <IconButton icon="more" label={`Actions of the view ${view.name}`} className={styles.viewMore} />
        }
      >
        <MenuItem icon="edit" off={off} onSelect={() => setRenaming(true)}>
          Rename
        </MenuItem>
        <MenuItem icon="trash" danger off={off} onSelect={() => void remove()}>
          Delete
        </MenuItem>
      </Menu>
      {renaming ? <Rename view={view} onClose={() => setRenaming(false)} /> : null}
    </>
  )
}

function Rename({ view, onClose }: { view: SavedView; onClose: () => void }): ReactElement {
  const [text, setText] = useState(view.name)
  const [busy, setBusy] = useState(false)
  const views = useViews()
  const name = text.trim()
  const taken = name !== view.name && views.some((each) => each.name === name && each.scope === view.scope)
  const fault = taken ? 'Another view has this name.' : faultOfName(name)
  const rename = async (): Promise<void> => {
    setBusy(true)
    try {
      if (name !== view.name) await renameView(view, name)
      onClose()
    } catch (error) {
      setBusy(false)
      toastFailure('The view was not renamed', error)
    }
  }
  return (
    <Dialog open onClose={onClose} title="Rename the view">
      <form
        className="col col-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (fault === undefined && !busy) void rename()
        }}
      >
        <Field label="Name" fault={text === view.name ? undefined : fault}>
          {(control) => (
            <TextInput
              {...control}
              tall
              data-autofocus
              maxLength={100}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <div className="row">
          <Button type="submit" variant="primary" size="lg" off={busy && 'The request is running'}>
            Rename
          </Button>
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** The view that the fleet shows. */
export function useOpenView(): SavedView | undefined {
  const views = useViews()
  const location = useLocation()
  return location.pathname === '/agents' ? findView(views, location.search) : undefined
}
