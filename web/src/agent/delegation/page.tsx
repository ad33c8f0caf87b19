import type { ReactElement } from 'react'
import { Card } from '../../shared/ui/page.tsx'

export function DelegationPage(): ReactElement {
  return (
    <div className="pad">
      <Card title="Delegation">…</Card>
    </div>
  )
}
