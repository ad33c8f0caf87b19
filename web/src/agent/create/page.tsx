import type { ReactElement } from 'react'
import { PageHead } from '../../shared/ui/page.tsx'

export function CreatePage(): ReactElement {
  return <PageHead title="New agent" />
}
