import type { ServiceStatus } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { nowSeconds } from '../shared/time.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { Banner } from '../shared/ui/page.tsx'
import { troubleOf } from './trouble.ts'

export function TroubleBanner({ service }: { service: ServiceStatus }): ReactElement | null {
  const trouble = troubleOf(service, nowSeconds())
  if (trouble === undefined) return null
  return (
    <Banner tone={trouble.tone} icon={<Icon name="alert" />} title={trouble.title}>
      {trouble.sentences.join(' ')}
    </Banner>
  )
}
