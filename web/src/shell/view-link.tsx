import { useLinkProps } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { type SavedView, searchOfView } from '../api/views.ts'
import { Icon } from '../shared/ui/icon.tsx'

interface ViewLinkProps {
  view: SavedView
  isOpen: boolean
  onClick?: (() => void) | undefined
}

/** The router would take every view with the same filters for the open one. */
export function ViewLink({ view, isOpen, onClick }: ViewLinkProps): ReactElement {
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
