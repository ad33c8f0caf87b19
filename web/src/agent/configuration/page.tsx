import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function ConfigurationPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Configuration">…</Card>
    </div>
  )
}
