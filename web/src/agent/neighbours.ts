import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useMemo } from 'react'
import { type Shortcut, useKeys } from '../shared/keys.ts'
import { type Neighbours, neighboursOf } from '../shared/left-list.ts'

export function useNeighbours(id: string): Neighbours | undefined {
  return useMemo(() => neighboursOf(id), [id])
}

interface Steps {
  /** Opens the next agent of the list that was left, on the same tab. undefined: there is none. */
  next: (() => void) | undefined
  previous: (() => void) | undefined
}

/** j and k, as in the list. */
export function useSteps(id: string): Steps {
  const neighbours = useNeighbours(id)
  const navigate = useNavigate()
  const pathname = useRouterState({ select: ({ location }) => location.pathname })
  const steps = useMemo((): Steps => {
    const step = (to: string | undefined): (() => void) | undefined =>
      to === undefined ? undefined : () => void navigate({ to: pathname.replace(id, to) })
    return { next: step(neighbours?.next), previous: step(neighbours?.previous) }
  }, [id, neighbours, navigate, pathname])
  const shortcuts = useMemo<Shortcut[]>(
    () => [
      { keys: 'j', label: 'Next agent of the list', group: 'Agent', run: () => steps.next?.() },
      { keys: 'k', label: 'Previous agent of the list', group: 'Agent', run: () => steps.previous?.() },
    ],
    [steps],
  )
  useKeys(shortcuts)
  return steps
}
