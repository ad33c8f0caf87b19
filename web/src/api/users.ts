import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { keys } from './keys.ts'

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

/** undefined while it is not known, null for a user without a name. */
export function useUserName(id: string | undefined): string | null | undefined {
  const { data } = useQuery({
    queryKey: keys.user(id ?? ''),
    queryFn: async () => (await gather(id ?? '')).get(id ?? '') ?? null,
    enabled: id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return data
}
