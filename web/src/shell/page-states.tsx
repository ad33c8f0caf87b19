import { type ErrorComponentProps, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { describe } from '../api/problem.ts'
import buttonStyles from '../shared/ui/button.module.css'
import { join } from '../shared/ui/class-names.ts'
import { Failed, Loading, State } from '../shared/ui/states.tsx'

export function NotFound(): ReactElement {
  return (
    <State
      icon="search"
      title="There is no such page"
      actions={
        <Link to="/agents" className={join(buttonStyles.button, buttonStyles.primary)}>
          Back to the fleet
        </Link>
      }
    >
      The address may be mistyped, or the page has moved.
    </State>
  )
}

export function PagePending(): ReactElement {
  return <Loading what="the page" />
}

export function PageFailed({ error, reset }: ErrorComponentProps): ReactElement {
  return <Failed title="This page could not be shown" failure={describe(error)} onRetry={reset} />
}
