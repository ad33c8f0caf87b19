import type { AgentSkill } from './types.ts'

/** A skill in the form that the A2A protocol describes. */
export interface DescribedSkill {
  id: string
  name: string
  description?: string | null
  input_modes?: string[] | null
  output_modes?: string[] | null
}

/** `'id' in skill` does not tell the forms of a skill apart: the other one is any object. */
export function isDescribedSkill(skill: AgentSkill): skill is AgentSkill & DescribedSkill {
  return typeof skill['id'] === 'string' && typeof skill['name'] === 'string'
}
