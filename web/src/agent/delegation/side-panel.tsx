import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { useOff } from '../../auth/permissions.ts'
import badgesStyles from '../../shared/ui/badges.module.css'
import { ProtectionBadge, StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon, type IconName } from '../../shared/ui/icon.tsx'
import { stageNumber } from '../../shared/words.ts'
import recordsStyles from '../revisions.module.css'
import styles from './delegation.module.css'
import { Evaluation } from './delegation-table.tsx'
import {
  type Graph,
  type GraphNode,
  otherPaths,
  outsideText,
  pathKey,
  pathTitle,
  trustText,
  weakestPath,
} from './graph.ts'

/** The path that weakens the agent, and what would raise it. */
export function SidePanel({ graph }: { graph: Graph }): ReactElement {
  const path = weakestPath(graph)
  const self = path[0]
  const end = path.at(-1)
  if (self === undefined || end === undefined) return <aside className={styles.side} />
  if (path.length === 1) {
    return (
      <aside className={styles.side} aria-label="Weakest path">
        <h2 className="lg">No path is weaker than the agent</h2>
        <p className="t2">Nothing that it hands work to has a lower trust stage or less protection.</p>
        <OtherPaths graph={graph} />
      </aside>
    )
  }
  return (
    <aside className={styles.side} aria-label="Weakest path">
      <div className="col">
        <span className={join(badgesStyles.badge, 'danger-t')}>
          <Icon name="alert" size="s" />
          Weakest path
        </span>
        <h2 className="lg">{pathTitle(path)}</h2>
        <p className="t2">
          A path is as strong as its weakest agent. Work of this agent, {trustText(self)}, can reach{' '}
          {end.id === null ? 'one that your team does not know.' : `one that is ${trustText(end)}.`}
        </p>
      </div>
      <ol className={recordsStyles.path}>
        {path.map((node, index) => (
          <li key={node.key}>
            <span className={recordsStyles.number}>{index + 1}</span>
            <PathNode node={node} />
          </li>
        ))}
      </ol>
      <Raise self={self} before={path.at(-2) ?? self} end={end} />
      <OtherPaths graph={graph} />
    </aside>
  )
}

function PathNode({ node }: { node: GraphNode }): ReactElement {
  return (
    <div className="col col-1">
      {node.id === null ? (
        <span className="b5 any-wrap">{node.name}</span>
      ) : (
        <Link to="/agents/$id" params={{ id: node.id }} className="b5 any-wrap" preload={false}>
          {node.name}
        </Link>
      )}
      {node.stage === undefined ? (
        <span className="sm t2">{outsideText(node)}</span>
      ) : (
        <span className="row wrap sm t2">
          <StageBadge value={node.stage} />
          {node.protection === undefined ? null : <ProtectionBadge value={node.protection} />}
        </span>
      )}
      {node.evaluation === undefined ? null : (
        <span className="row sm t2">
          Evaluation <Evaluation value={node.evaluation} />
        </span>
      )}
    </div>
  )
}

interface Step {
  icon: IconName
  text: string
  id: string
  to: '/agents/$id/scores' | '/agents/$id/configuration' | '/agents/$id'
  /** The word of the link. */
  verb: 'Open' | 'Edit'
  /** Why it cannot be done; it names the missing permission. */
  off: string | false
}

function Raise({ self, before, end }: { self: GraphNode; before: GraphNode; end: GraphNode }): ReactElement {
  const offMove = useOff('agent:lifecycle')
  const offWrite = useOff('agent:write')
  const steps: Step[] = []
  if (end.id !== null) {
    if (end.evaluation !== 'current') {
      steps.push({
        icon: 'flask',
        text: `Evaluate ${end.name}`,
        id: end.id,
        to: '/agents/$id/scores',
        verb: 'Open',
        off: false,
      })
    }
    if (end.protection === 'unprotected') {
      steps.push({
        icon: 'lock',
        text: 'Put a guard in front of it',
        id: end.id,
        to: '/agents/$id/configuration',
        verb: 'Edit',
        off: offWrite,
      })
    }
    // At the same stage or above, only its protection makes it weaker.
    if (stageNumber(end.stage ?? '') < stageNumber(self.stage ?? '')) {
      steps.push({
        icon: 'chart',
        text: 'Move it to a higher stage',
        id: end.id,
        to: '/agents/$id',
        verb: 'Open',
        off: offMove,
      })
    }
  }
  const owner = before.id ?? self.id ?? ''
  steps.push({
    icon: 'close',
    text: 'Stop handing work to it',
    id: owner,
    to: '/agents/$id/configuration',
    verb: 'Edit',
    off: offWrite,
  })
  return (
    <section className={join(styles.sidePart, 'col')}>
      <h3>What would raise it</h3>
      <ul className="col col-1">
        {steps.map(({ icon, text, id, to, verb, off }) => (
          <li key={text} className="row">
            <Icon name={icon} size="s" className="t2" />
            <span className="grow any-wrap">
              {text}
              {off === false ? null : <span className={join(styles.block, 'sm t3')}>{off}</span>}
            </span>
            {off === false ? (
              <Link
                to={to}
                params={{ id }}
                className="link"
                aria-label={`${text}: ${verb.toLowerCase()}`}
                preload={false}
              >
                {verb}
              </Link>
            ) : (
              <Icon name="lock" size="s" className="t3" />
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

const SHOWN = 8

function OtherPaths({ graph }: { graph: Graph }): ReactElement | null {
  const paths = otherPaths(graph)
  if (paths.length === 0) return null
  return (
    <section className={join(styles.sidePart, 'col')}>
      <h3>Other paths</h3>
      <ul className="col">
        {paths.slice(0, SHOWN).map((path) => {
          const end = path.at(-1)
          return (
            <li key={pathKey(path)} className="row sm top">
              <span className="grow any-wrap">→ {path.map(({ name }) => name).join(' → ')}</span>
              {end?.stage === undefined ? (
                <span className="t2 nowrap">unknown agent</span>
              ) : (
                <StageBadge value={end.stage} />
              )}
              {end?.protection === undefined ? null : <ProtectionBadge value={end.protection} glyphOnly />}
            </li>
          )
        })}
      </ul>
      {paths.length > SHOWN ? (
        <span className="sm t3">and {paths.length - SHOWN} more in the table</span>
      ) : null}
    </section>
  )
}
