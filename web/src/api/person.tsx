import type { ReactElement } from 'react'
import { Avatar } from '../shared/ui/avatar.tsx'
import badgesStyles from '../shared/ui/badges.module.css'
import { personName } from '../shared/words.ts'
import { useUserName } from './users.ts'

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
