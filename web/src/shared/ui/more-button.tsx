import type { ReactElement } from 'react'
import { Button, type ButtonProps } from './button.tsx'

interface MoreButtonProps extends ButtonProps {
  /** Of the list. */
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
}

/** Loads the next page of a list; absent on the last one. */
export function MoreButton({ query, children, ...rest }: MoreButtonProps): ReactElement | null {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <Button
      variant="quiet"
      icon="down"
      {...rest}
      off={isFetchingNextPage && 'The request is running'}
      onClick={() => void fetchNextPage()}
    >
      {isFetchingNextPage ? 'Loading…' : children}
    </Button>
  )
}
