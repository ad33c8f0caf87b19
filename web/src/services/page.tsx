import type { ReactElement } from 'react'
import { PageHead } from '../shared/ui/page.tsx'

export function ServicesPage(): ReactElement {
  return <PageHead title="Services" />
}
