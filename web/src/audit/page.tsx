import type { ReactElement } from 'react'
import { PageHead } from '../shared/ui/page.tsx'

export function AuditPage(): ReactElement {
  return <PageHead title="Audit" />
}
