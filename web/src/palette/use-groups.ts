import type { AgentListQuery } from '@agent-console/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api, keys } from '../api/client.ts'
import { searchOfView, useViews } from '../api/views.ts'
import { useMay, useOff, useSession } from '../auth/permissions.ts'
import { formatCount, plural } from '../shared/format.ts'
import { useShortcuts } from '../shared/keys.ts'
import { PHONE, useMedia } from '../shared/media.ts'
import { stringifySearch } from '../shared/search.ts'
import { chooseTheme, shownTheme } from '../shared/theme.ts'
import { type Group, type Item, matches, offLast, type PalettePage, ranked } from './items.ts'

/** They move in the page behind the palette; here they would say nothing. */
const MOVES = new Set(['j', 'k', 'x', 'Enter', 'Escape', '/', 'ArrowDown', 'ArrowUp'])
const ACTIONS_SHOWN = 6

interface Groups {
  groups: readonly Group[]
  /** The agents could not be searched. */
  error: Error | null
}

export function useGroups(text: string, pages: readonly PalettePage[], onKeys: () => void): Groups {
  const { data, error } = useAgents(text)
  const found = text === '' ? undefined : data
  const groups: Group[] = [
    { label: agentsLabel(found?.count), items: useAgentItems(found, text) },
    { label: 'Actions', items: useActions(text, onKeys) },
    { label: 'Go to', items: pageItems(text, pages) },
    { label: 'Saved views', items: useViewItems(text) },
  ]
  return { groups: groups.filter(({ items }) => items.length > 0), error: text === '' ? null : error }
}

function agentsLabel(count: number | undefined): string {
  return count === undefined ? 'Agents' : `Agents · ${plural(count, 'match', 'matches')}`
}

type Found = ReturnType<typeof useAgents>['data']

function useAgentItems(found: Found, text: string): Item[] {
  const navigate = useNavigate()
  if (found === undefined) return []
  const items = found.results.map(
    ({ id, agent_name, status, trust_stage }): Item => ({
      id: `agent-${id}`,
      label: agent_name,
      status,
      stage: trust_stage,
      href: `/agents/${id}`,
      run: () => void navigate({ to: '/agents/$id', params: { id } }),
    }),
  )
  const count = found.count ?? 0
  if (count <= items.length) return items
  return [
    ...items,
    {
      id: 'all-agents',
      label: `Show all ${formatCount(count)} in the fleet`,
      icon: 'forward',
      href: `/agents?${new URLSearchParams({ q: text })}`,
      run: () => void navigate({ to: '/agents', search: { q: text } }),
    },
  ]
}

function useActions(text: string, onKeys: () => void): Item[] {
  const navigate = useNavigate()
  const session = useSession()
  const phone = useMedia(PHONE)
  const offWrite = useOff('agent:write')
  const ofPage = useShortcuts()
    .filter(({ group, run }) => run !== undefined && group !== 'Everywhere')
    .filter(({ keys, atFocus }) => atFocus !== true && !MOVES.has(keys))
    .map(
      ({ keys, label, icon, off, run }): Item => ({
        id: `key-${keys}`,
        label,
        icon: icon ?? 'forward',
        keys,
        off,
        run: () => run?.(new KeyboardEvent('keydown')),
      }),
    )
  const allKeys: Item = { id: 'all-keys', label: 'Show all keys', icon: 'info', keys: '?', run: onKeys }
  const other = shownTheme() === 'dark' ? 'light' : 'dark'
  const everywhere: Item[] = [
    {
      id: 'new-agent',
      label: 'New agent',
      icon: 'add',
      off: offWrite,
      href: '/agents/new',
      run: () => void navigate({ to: '/agents/new' }),
    },
    { id: 'theme', label: `Use the ${other} theme`, icon: 'theme', run: () => chooseTheme(other) },
    // A phone has no keys to press.
    ...(phone ? [] : [allKeys]),
    { id: 'sign-out', label: 'Sign out', icon: 'signOut', run: () => void session.signOut() },
  ]
  const labels = new Set(ofPage.map(({ label }) => label))
  const all = offLast([...ofPage, ...everywhere.filter(({ label }) => !labels.has(label))])
  return text === '' ? all.slice(0, ACTIONS_SHOWN) : all.filter(({ label }) => matches(label, text))
}

function pageItems(text: string, pages: readonly PalettePage[]): Item[] {
  return pages
    .filter(({ label }) => text === '' || matches(label, text))
    .map(({ to, label, icon, key, note, open }) => ({
      id: `page-${key}`,
      label,
      icon,
      note,
      href: to,
      run: open,
      keys: `g ${key}`,
    }))
}

const SHOWN = 5
/** The API orders by name; the best matches are chosen from so many. */
const READ = 50
const FIELDS = ['agent_name', 'status', 'trust_stage'] as const satisfies AgentListQuery['fields']

/** The best of the agents whose name contains the text, and how many there are. */
function useAgents(text: string) {
  const may = useMay('agent:read')
  const query = {
    q: text,
    limit: READ,
    include_count: true,
    sort: 'agent_name',
    fields: [...FIELDS],
  } as const
  const result = useQuery({
    queryKey: keys.list(query),
    queryFn: ({ signal }) => api().agents.list({ ...query, fields: [...FIELDS] }, { signal }),
    enabled: may && text !== '',
    placeholderData: keepPreviousData,
    select: ({ results, count }) => ({
      count,
      results: ranked(results, ({ agent_name }) => agent_name, text).slice(0, SHOWN),
    }),
  })
  const { data, error, isPlaceholderData } = result
  // Until the response is there, those of the text before that match: Enter must not open another agent.
  const results = data?.results.filter(({ agent_name }) => !isPlaceholderData || matches(agent_name, text))
  const count = isPlaceholderData ? results?.length : data?.count
  return { error, data: results && { count, results } }
}

/** The saved views. A narrow window has no room for them in its navigation. */
function useViewItems(text: string): Item[] {
  const navigate = useNavigate()
  return useViews()
    .filter(({ name }) => text === '' || matches(name, text))
    .map((view) => {
      const search = searchOfView(view)
      return {
        id: `view-${view.scope}-${view.name}`,
        label: view.name,
        icon: view.scope === 'team' ? 'people' : 'star',
        note: view.scope === 'team' ? 'of the team' : undefined,
        href: `/agents${stringifySearch(search)}`,
        run: () => void navigate({ to: '/agents', search }),
      }
    })
}
