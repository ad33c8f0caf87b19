import { Link } from '@tanstack/react-router'
import { Handle, type NodeProps, Position } from '@xyflow/react'
import type { ReactElement } from 'react'
import { ProtectionBadge, StageBadge } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { stageNumber } from '../../shared/words.ts'
import styles from './delegation.module.css'
import type { GraphNode } from './graph.ts'
import { outsideText, weaknessText } from './words.ts'

export function HeadingNode({ data }: NodeProps): ReactElement {
  return <div className={styles.nodeHead}>{String(data['label'])}</div>
}

export function AgentNode({ data }: NodeProps): ReactElement {
  const { node, weakest } = data as { node: GraphNode; weakest: boolean }
  const content = (
    <>
      {node.stage === undefined ? null : (
        <span className={join(styles.stageBar, `st${stageNumber(node.stage)}`)} />
      )}
      <span className={join(styles.name, 'cut')} title={node.name}>
        {node.name}
      </span>
      <span className={styles.facts}>
        {node.stage === undefined ? (
          <>
            <span>{outsideText(node)}</span>
            <span className="sp" />
            <span aria-hidden="true">?</span>
          </>
        ) : (
          <>
            <StageBadge value={node.stage} />
            <span className="sp" />
            {node.protection === undefined ? null : <ProtectionBadge value={node.protection} glyphOnly />}
          </>
        )}
      </span>
    </>
  )
  const className = join(
    styles.node,
    'nopan',
    node.column === 0 && styles.self,
    node.id === null && styles.unknown,
    weakest && node.isWeak && styles.weak,
  )
  return (
    <>
      <Handle type="target" position={Position.Left} isConnectable={false} />
      {node.id === null || node.column === 0 ? (
        <div className={className}>{content}</div>
      ) : (
        <Link to="/agents/$id/delegation" params={{ id: node.id }} className={className} preload={false}>
          {content}
        </Link>
      )}
      {weakest && node.isWeakest ? <span className={styles.tag}>Weakest: {weaknessText(node)}</span> : null}
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </>
  )
}
