import { type Fleet, storyId } from './fleet.ts'
import type { PersonKey } from './story.ts'

/** The user id of a person. `you` is the user of the printed token. */
export const userOf = ({ team, user }: Pick<Fleet, 'team' | 'user'>, key: PersonKey): string =>
  key === 'you' ? user : storyId(team, `person/${key}`)

/** The display names. */
export const NAMES: Record<PersonKey, string> = {
  you: 'Priya Raghunathan',
  maren: 'Maren Holt',
  tobias: 'Tobias Reyes',
  ines: 'Ines Okafor',
  jun: 'Jun Takeda',
}
