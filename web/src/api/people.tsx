import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import badgesStyles from '../shared/ui/badges.module.css'
import { Avatar } from '../shared/ui/badges.tsx'
import { personName } from '../shared/words.ts'
import { api, keys } from './client.ts'

interface PersonProps {
  id: string
  /** Where the response has the name already. */
  name?: string | null
}

/** Who did something: avatar and name, or the beginning of the id. */
export function Person({ id, name }: PersonProps): ReactElement {
  const looked = useUserName(name === undefined ? id : undefined)
  const shown = name === undefined ? looked : name
  return (
    <span className={badgesStyles.badge}>
      <Avatar name={shown ?? null} />
      <span className="b5 cut">{personName(shown, id)}</span>
    </span>
  )
}

/** The ids of one screen are asked for together. */
const GATHER_MS = 20
const MAX_IDS = 100

type Names = Map<string, string>
let waiting: { ids: Set<string>; names: Promise<Names> } | undefined

function gather(id: string): Promise<Names> {
  if (waiting === undefined || waiting.ids.size >= MAX_IDS) {
    const ids = new Set<string>()
    const names = new Promise<Names>((resolve, reject) => {
      setTimeout(() => {
        if (waiting?.ids === ids) waiting = undefined
        load([...ids]).then(resolve, reject)
      }, GATHER_MS)
    })
    waiting = { ids, names }
  }
  waiting.ids.add(id)
  return waiting.names
}

async function load(ids: string[]): Promise<Names> {
  const { results } = await api().users.list(ids)
  return new Map(results.map(({ user_id, name }) => [user_id, name]))
}

function nameQuery(id: string) {
  return queryOptions({
    queryKey: keys.user(id),
    queryFn: async () => (await gather(id)).get(id) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** undefined while it is not known, null for a user without a name. */
function useUserName(id: string | undefined): string | null | undefined {
  return useQuery({ ...nameQuery(id ?? ''), enabled: id !== undefined }).data
}

/** The names of users that are known. */
export function useUserNames(ids: Iterable<string>): ReadonlyMap<string, string> {
  const known = [...new Set(ids)]
  const names = useQueries({
    queries: known.map(nameQuery),
    combine: (all) => all.map(({ data }, index) => [known[index], data] as const),
  })
  return useMemo(() => new Map(names.filter(isNamed)), [names])
}

function isNamed(entry: readonly [unknown, unknown]): entry is readonly [string, string] {
  return typeof entry[1] === 'string'
}
