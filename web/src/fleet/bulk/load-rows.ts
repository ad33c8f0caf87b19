import { rowsOf } from '../../api/list.ts'
import type { useList } from '../list.ts'
import type { FleetRow } from '../row.ts'

type FetchNextPage = ReturnType<typeof useList>['query']['fetchNextPage']

interface LoadRowsOptions {
  fetchNextPage: FetchNextPage
  /** The filters have not changed: pages belong to the list that the user sees. */
  isSameList: () => boolean
}

/** Loads pages until there are so many rows, or no more. undefined: the list has become another one. */
export async function loadRows(
  rows: readonly FleetRow[],
  wanted: number,
  { fetchNextPage, isSameList }: LoadRowsOptions,
): Promise<readonly FleetRow[] | undefined> {
  let loaded = rows
  while (loaded.length < wanted) {
    const { data, isError, hasNextPage } = await fetchNextPage({ cancelRefetch: false })
    if (!isSameList()) return undefined
    if (data !== undefined) loaded = rowsOf(data)
    if (isError || !hasNextPage) break
  }
  return loaded.slice(0, wanted)
}
