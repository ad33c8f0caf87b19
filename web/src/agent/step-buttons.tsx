import type { ReactElement } from 'react'
import { IconButton } from '../shared/ui/button.tsx'
import { useSteps } from './neighbours.ts'

/** To the agents beside this one in the list that was left. An agent that was opened by its address has no such list. */
export function StepButtons({ id }: { id: string }): ReactElement | null {
  const { next, previous } = useSteps(id)
  if (next === undefined && previous === undefined) return null
  return (
    <>
      <IconButton
        icon="back"
        label="Previous agent (K)"
        off={previous === undefined && 'The list has none before'}
        onClick={previous}
      />
      <IconButton
        icon="forward"
        label="Next agent (J)"
        off={next === undefined && 'The list has none after'}
        onClick={next}
      />
      <span className="vsep" />
    </>
  )
}
