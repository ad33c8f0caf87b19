import type { ReactElement } from 'react'
import { PageHead } from '../shared/ui/page.tsx'

export function LifecyclePage(): ReactElement {
  return <PageHead title="Lifecycle" />
}
