/** The demonstration tells of one company, Fjord & Field, which sells outdoor gear, and of its agents. The console and
 * each demonstration service tell of the same ones. */

export const COMPANY = {
  name: 'Fjord & Field',
  description: 'Outdoor gear, sold online and in twelve shops. Its agents serve customers and colleagues.',
}

/** Who changes agents. `you` is the user of the printed token. */
export const PEOPLE = {
  you: { email: 'priya.raghunathan@fjordandfield.example', role: 'owner' },
  maren: { email: 'maren.holt@fjordandfield.example', role: 'editor' },
  tobias: { email: 'tobias.reyes@fjordandfield.example', role: 'editor' },
  ines: { email: 'ines.okafor@fjordandfield.example', role: 'editor' },
  jun: { email: 'jun.takeda@fjordandfield.example', role: 'viewer' },
} as const
export type PersonKey = keyof typeof PEOPLE

/** The display names. */
export const NAMES: Record<PersonKey, string> = {
  you: 'Priya Raghunathan',
  maren: 'Maren Holt',
  tobias: 'Tobias Reyes',
  ines: 'Ines Okafor',
  jun: 'Jun Takeda',
}

export interface StoryAgent {
  key: string
  owner: PersonKey
  createdDaysAgo: number
  body: { agent_name: string; model_name: string; [field: string]: unknown }
  /** In the order in which they happened. Each change and each stage is a revision, an evaluation is none. */
  events: StoryEvent[]
  evolution: Evolution
}

export type StoryEvent = Change | StageMove | StoryEvaluation

interface Change {
  daysAgo: number
  by: PersonKey
  change: Record<string, unknown>
}

interface StageMove {
  daysAgo: number
  by: PersonKey
  stage: string
  reason: string
}

export interface StoryEvaluation {
  daysAgo: number
  harness: 'security' | 'safety' | 'reliability'
  scores: { overall: number; reliability: number; security: number; safety: number }
  /** The text of the report. */
  report: string
}

export interface Evolution {
  state: 'idle' | 'proposing' | 'evaluating' | 'awaiting_approval'
  generation: number
  proposals: {
    field: string
    fitness: number
    verdict: 'pending' | 'accepted' | 'rejected'
    daysAgo: number
  }[]
}

export const NO_EVOLUTION: Evolution = { state: 'idle', generation: 0, proposals: [] }
