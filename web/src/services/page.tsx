import type { ServiceStatus } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useState } from 'react'
import { api, keys } from '../api/client.ts'
import { describe } from '../api/problem.ts'
import { PhoneLiveState } from '../live/live-mark.tsx'
import { formatClock, nowSeconds } from '../shared/format.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import pageStyles from '../shared/ui/page.module.css'
import { Banner, PageHead } from '../shared/ui/page.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { Failed, Loading, Stale, State } from '../shared/ui/states.tsx'
import { ServicesTable } from './services-table.tsx'
import { needsAttention, troubleOf } from './state.ts'

const REFRESH_MS = 10_000

export function ServicesPage(): ReactElement {
  const query = useQuery({
    queryKey: keys.services,
    queryFn: ({ signal }) => api().services.list({ signal }),
    refetchInterval: REFRESH_MS,
    staleTime: 0,
  })
  const services = query.data?.results
  const refresh = (): void => void query.refetch()
  return (
    <div className={pageStyles.page}>
      <PageHead title="Services" note={services === undefined ? undefined : summary(services)}>
        <PhoneLiveState of={query.isError ? 'down' : 'live'} />
        {query.dataUpdatedAt === 0 ? null : (
          <span className="sm t3 col-mid">
            As this replica saw them <RelativeTime at={Math.floor(query.dataUpdatedAt / 1000)} />
          </span>
        )}
        <Button icon="retry" onClick={refresh}>
          Refresh
        </Button>
      </PageHead>
      {query.isError && services !== undefined ? (
        <div className={pageStyles.notices}>
          <Stale since={formatClock(Math.floor(query.dataUpdatedAt / 1000))} onReconnect={refresh} />
        </div>
      ) : null}
      {services === undefined ? (
        query.isError ? (
          <Failed
            title="The services could not be loaded"
            failure={describe(query.error)}
            onRetry={refresh}
          />
        ) : (
          <Loading what="services" />
        )
      ) : (
        <Services services={services} />
      )}
    </div>
  )
}

function summary(services: readonly ServiceStatus[]): string {
  const troubled = services.filter(needsAttention).length
  if (services.length === 0) return ''
  return [
    `${services.length} mounted`,
    troubled === 0 ? 'all well' : `${troubled} ${troubled === 1 ? 'needs' : 'need'} attention`,
  ].join(' · ')
}

function Services({ services }: { services: readonly ServiceStatus[] }): ReactElement {
  const [open, setOpen] = useState<readonly string[]>([])
  if (services.length === 0) {
    return (
      <State icon="services" title="No service is mounted">
        An operator mounts the services of your company with the services file of the console. Their
        operations then appear here and in the API reference.
      </State>
    )
  }
  return (
    <>
      <div className={join(pageStyles.notices, pageStyles.ends)}>
        {services.map((service) => (
          <TroubleBanner key={service.name} service={service} />
        ))}
      </div>
      <ServicesTable
        services={services}
        open={open}
        onToggle={(name) =>
          setOpen((names) =>
            names.includes(name) ? names.filter((each) => each !== name) : [...names, name],
          )
        }
      />
      <p className={join(pageStyles.body, 'sm t3')}>
        State is about the OpenAPI document, Breaker about the calls.
      </p>
    </>
  )
}

export function TroubleBanner({ service }: { service: ServiceStatus }): ReactElement | null {
  const trouble = troubleOf(service, nowSeconds())
  if (trouble === undefined) return null
  return (
    <Banner tone={trouble.tone} icon={<Icon name="alert" />} title={trouble.title}>
      {trouble.sentences.join(' ')}
    </Banner>
  )
}
