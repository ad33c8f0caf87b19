import type { TestConsole } from './console.ts'

/** How many places at the database are taken: for `requests` or `searches`. */
export async function placesTaken({ core }: TestConsole, of: 'requests' | 'searches'): Promise<number> {
  const text = await core.metrics.registry.metrics()
  return Number(new RegExp(`^console_places_in_use\\{of="${of}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}
