import { Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { Absent, Badge, EvaluationBadge, ProtectionBadge, StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import tableStyles from '../../shared/ui/table.module.css'
import { Column, Table } from '../../shared/ui/table.tsx'
import styles from './delegation.module.css'
import { type Graph, type GraphNode, outsideText, weaknessText } from './graph.ts'

/** The same as the graph, for keyboard and screen reader. */
export function DelegationTable({ graph, weakest }: { graph: Graph; weakest: boolean }): ReactElement {
  const byKey = new Map(graph.nodes.map((node) => [node.key, node]))
  const rows = graph.edges
    .flatMap((edge) => {
      const from = byKey.get(edge.from)
      const to = byKey.get(edge.to)
      return from === undefined || to === undefined ? [] : [{ edge, from, to }]
    })
    .toSorted((a, b) => a.from.column - b.from.column)
  return (
    <Table label="Delegations" fixed className={join(tableStyles.stack, styles.delegations)}>
      <thead>
        <tr>
          <Column width={90}>Step</Column>
          <Column>From</Column>
          <Column>To</Column>
          <Column width={110}>Trust stage</Column>
          <Column width={110}>Protection</Column>
          <Column width={110}>Evaluation</Column>
          <Column width={180}>Weakest path</Column>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ edge, from, to }) => (
          <tr key={edge.key}>
            <td className="t2">{from.column === -1 ? 'Incoming' : `Step ${from.column + 1}`}</td>
            <td>
              <Name node={from} />
            </td>
            <td>
              <Name node={to} />
            </td>
            <td>{to.stage === undefined ? <Absent label="Not known" /> : <StageBadge value={to.stage} />}</td>
            <td>
              {to.protection === undefined ? (
                <Absent label="Not known" />
              ) : (
                <ProtectionBadge value={to.protection} />
              )}
            </td>
            <td>
              <Evaluation value={to.evaluation} />
            </td>
            <td>
              {weakest && edge.isWeak ? (
                <Badge glyph={<Icon name="alert" size="s" />} className="danger-t">
                  {to.isWeakest ? `Weakest: ${weaknessText(to)}` : 'On the weakest path'}
                </Badge>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

function Name({ node }: { node: GraphNode }): ReactElement {
  if (node.id === null) {
    return (
      <span className={styles.unknownAgent} title={node.name}>
        {node.name} <span className="sm t3">{outsideText(node).toLowerCase()}</span>
      </span>
    )
  }
  if (node.column === 0) return <span className="b5">{node.name}</span>
  return (
    <Link
      to="/agents/$id/delegation"
      params={{ id: node.id }}
      className="link"
      title={node.name}
      preload={false}
    >
      {node.name}
    </Link>
  )
}

/** Whether the evaluation of an agent on a path still holds. */
export function Evaluation({ value }: { value: GraphNode['evaluation'] }): ReactElement {
  if (value === undefined) return <Absent label="Not known" />
  if (value === 'none') return <span className="t2">Never evaluated</span>
  return <EvaluationBadge value={value} />
}
