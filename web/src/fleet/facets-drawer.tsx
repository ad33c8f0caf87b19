import type { ReactElement, ReactNode } from 'react'
import { plural } from '../shared/numbers.ts'
import { Button } from '../shared/ui/button.tsx'
import { join } from '../shared/ui/class-names.ts'
import { Dialog } from '../shared/ui/dialog.tsx'
import { hasFilters } from './filters.ts'
import styles from './fleet.module.css'
import { withoutFilters } from './search.ts'
import type { FleetAddress } from './use-search.ts'

interface DrawerButtonsProps {
  address: FleetAddress
  count: number | undefined
  onClose: () => void
}

/** The list behind the drawer follows each choice; these lead back to it. */
function DrawerButtons({ address, count, onClose }: DrawerButtonsProps): ReactElement {
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

interface FacetsDrawerProps extends DrawerButtonsProps {
  open: boolean
  children: ReactNode
}

/** The filters where they have no room beside the list. */
export function FacetsDrawer({ open, children, ...rest }: FacetsDrawerProps): ReactElement {
  return (
    <Dialog
      open={open}
      kind="drawer"
      title="Filters"
      onClose={rest.onClose}
      footer={<DrawerButtons {...rest} />}
    >
      <div className={join(styles.facets, styles.inDrawer)}>{children}</div>
    </Dialog>
  )
}
