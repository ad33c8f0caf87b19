import type { ReactElement } from 'react'
import { plural } from '../shared/numbers.ts'
import { Button } from '../shared/ui/button.tsx'
import { hasFilters } from './filters.ts'
import { withoutFilters } from './search.ts'
import type { FleetAddress } from './use-search.ts'

interface DrawerButtonsProps {
  address: FleetAddress
  count: number | undefined
  onClose: () => void
}

/** The list behind the drawer follows each choice; these lead back to it. */
export function DrawerButtons({ address, count, onClose }: DrawerButtonsProps): ReactElement {
  const { search, go } = address
  return (
    <>
      <Button variant="primary" size="lg" onClick={onClose}>
        {count === undefined ? 'Show the agents' : `Show ${plural(count, 'agent')}`}
      </Button>
      {hasFilters(search) ? (
        <Button size="lg" onClick={() => go(withoutFilters(search))}>
          Clear all filters
        </Button>
      ) : null}
    </>
  )
}
