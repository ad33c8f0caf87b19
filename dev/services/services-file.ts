import { DEMO_NAMES, DEMOS, type DemoKind, type DemoName } from './catalogue.ts'

/** Further fields of the entry of each service. */
export type Settings = (name: DemoName) => object

/** In development a change must show at once. */
const settingsOfAll = () => ({ poll_seconds: 2 })

/** The content of the SERVICES_FILE that mounts the demonstration services. */
export function servicesFile(urlOf: (name: DemoName) => string, settings: Settings = settingsOfAll): object {
  const services = DEMO_NAMES.map((name) => {
    const { tag, prefixes, budgetPriority: budget_priority }: DemoKind = DEMOS[name]
    return { name, tag, url: urlOf(name), token: 'assert', prefixes, budget_priority, ...settings(name) }
  })
  return { services }
}
