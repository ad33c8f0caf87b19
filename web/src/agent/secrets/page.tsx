import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function SecretsPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Secrets">…</Card>
    </div>
  )
}
