/** Runs the work of a few items at the same time. Returns its results in the order of the items. */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  const workers = Array.from({ length: atOnce }, async () => {
    for (const [index, item] of entries) results[index] = await work(item, index)
  })
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason as Error
  return results
}
