import type { Agent } from '@agent-console/sdk'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Fragment, type ReactElement, type ReactNode } from 'react'
import { Person } from '../../api/people.tsx'
import { formatDate, plural } from '../../shared/format.ts'
import { Absent } from '../../shared/ui/badges.tsx'
import buttonStyles from '../../shared/ui/button.module.css'
import { join } from '../../shared/ui/class-names.ts'
import pageStyles from '../../shared/ui/page.module.css'
import { Card, DescriptionList } from '../../shared/ui/page.tsx'
import { ACCESS, PROTOCOL, words } from '../../shared/words.ts'
import { useAgent } from '../queries.ts'
import recordsStyles from '../revisions.module.css'
import { ScoresCard } from '../scores/scores-card.tsx'
import { ActivityCard } from './activity-card.tsx'
import { DelegationCard } from './delegation-card.tsx'
import styles from './overview.module.css'
import { ProtectionCard } from './protection-card.tsx'

const route = getRouteApi('/agents/$id/')

/** The page around it has loaded the agent, or says why not. */
export function OverviewPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data } = useAgent(id)
  if (data === undefined) return null
  return (
    <div className={join(pageStyles.body, pageStyles.columns, styles.page)} key={id}>
      <div className="col col-4">
        <ScoresCard
          result={data}
          aside={
            <Link
              to="/agents/$id/scores"
              params={{ id }}
              className={join(buttonStyles.button, buttonStyles.quiet, 'col-mid')}
            >
              All evaluations
            </Link>
          }
        />
        <ActivityCard id={id} />
      </div>
      <div className="col col-4">
        <ProtectionCard result={data} />
        <DelegationCard agent={data.agent} />
        <AboutCard agent={data.agent} />
      </div>
    </div>
  )
}

const SKILLS_SHOWN = 6

export function AboutCard({ agent }: { agent: Agent }): ReactElement {
  const tags = agent.agent_metadata?.tags ?? []
  return (
    <Card title="About">
      <DescriptionList
        items={[
          ['Purpose', agent.purpose ? <span>{agent.purpose}</span> : <Absent />],
          [
            'Model',
            <span key="model" className="mono">
              {agent.model_name}
            </span>,
          ],
          ['Endpoint', agent.agent_url === null ? <Absent /> : <Address url={agent.agent_url} />],
          ['Protocol', words(PROTOCOL, agent.protocol)],
          ['Access', words(ACCESS, agent.access_level).split(':')[0]],
          ['Can', <Tags key="can" tags={abilities(agent)} none="nothing declared" />],
          ['Skills', <Tags key="skills" tags={skillNames(agent)} none="none described" />],
          ...(tags.length === 0 ? [] : ([['Tags', <Tags key="tags" tags={tags} none="" />]] as const)),
          ['Created', <Created key="created" agent={agent} />],
        ]}
      />
    </Card>
  )
}

/** May break after a slash, not inside a word. */
function Address({ url }: { url: string }): ReactElement {
  return (
    <span className="mono">
      {url.split(/(?<=\/)(?!\/)/).map((part, index) => (
        <Fragment key={index}>
          {index === 0 ? null : <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  )
}

function Tags({ tags, none }: { tags: readonly string[]; none: string }): ReactNode {
  if (tags.length === 0) return <span className="t3">{none}</span>
  return (
    <span className="row wrap row-1">
      {tags.map((tag) => (
        <span key={tag} className={join(recordsStyles.tag, recordsStyles.sans)}>
          {tag}
        </span>
      ))}
    </span>
  )
}

/** What the agent says that it can do: "Streaming", "4 tools". */
function abilities({ capabilities }: Agent): string[] {
  const { tools, ...rest } = capabilities
  const said = Object.entries(rest).flatMap(([name, value]) =>
    value === true ? [name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')] : [],
  )
  return Array.isArray(tools) && tools.length > 0 ? [...said, plural(tools.length, 'tool')] : said
}

function skillNames({ skills }: Agent): string[] {
  // A skill may have any form; one without a name is counted, not named.
  const named = skills.map(({ name, id }) => [name, id].find((each) => typeof each === 'string') ?? 'unnamed')
  const names = [...new Set(named)]
  const rest = names.length - SKILLS_SHOWN
  return rest > 0 ? [...names.slice(0, SKILLS_SHOWN), `+${rest}`] : names
}

const SOURCES: Record<string, string> = {
  agent_card: 'from an agent card',
  clone: 'as a copy',
  manual: 'by hand',
}

function Created({ agent }: { agent: Agent }): ReactElement {
  const source = agent.import_metadata?.source
  const from = typeof source === 'string' ? `, ${SOURCES[source] ?? `from ${source}`}` : ''
  return (
    <span className="row wrap">
      <span>
        {formatDate(agent.created_at)}
        {from}
      </span>
      <Person id={agent.created_by} />
    </span>
  )
}
