import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { useMay } from '../auth/permissions.ts'
import { nowSeconds } from '../shared/time.ts'
import { type DayOfChanges, summarise } from './audit-day.ts'

const DAY = 24 * 3600
const MOST = 500

/**
 * The changes of the last 24 hours. The source is one page of the audit log, at most 500 events: agents cannot be
 * listed by their last change. null without the permission to read the audit log.
 */
export function useChangesOfDay(): DayOfChanges | null | undefined {
  const may = useMay('audit:read')
  const { data } = useQuery({
    queryKey: ['fleet-changes'],
    queryFn: async ({ signal }) => {
      const to = nowSeconds()
      const page = await api().audit.list({ since: to - DAY, limit: MOST }, { signal })
      return summarise(page.results, { from: to - DAY, to, more: page.next_cursor !== null })
    },
    enabled: may,
    refetchInterval: 60_000,
  })
  return may ? data : null
}
