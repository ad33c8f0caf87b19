import type { ReactElement } from 'react'
import { PageHead } from '../shared/ui/page.tsx'

export function ComponentsPage(): ReactElement {
  return <PageHead title="Components" />
}
