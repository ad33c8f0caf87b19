import type { EvolutionStatus } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { formatScore, plural } from '../../shared/format.ts'
import { Absent, Badge, StatusGlyph } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import inputsStyles from '../../shared/ui/inputs.module.css'
import pageStyles from '../../shared/ui/page.module.css'
import { DescriptionList } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import tableStyles from '../../shared/ui/table.module.css'
import { Column, Table } from '../../shared/ui/table.tsx'
import styles from './evolution.module.css'
import { inWords, type Proposal, readStatus } from './status.ts'

/** What the evolution service says: the members that are known by name, the rest as it is. */
export function StatusView({ status }: { status: EvolutionStatus }): ReactElement {
  const { state, generation, updatedAt, proposals, rest } = readStatus(status)
  const hasRest = Object.keys(rest).length > 0
  return (
    <>
      <div className={join(pageStyles.inset, styles.status)}>
        <DescriptionList
          items={[
            ['State', state === undefined ? <Absent label="Not given" /> : <Word key="s" value={state} />],
            ['Generation', generation ?? <Absent label="Not given" />],
            [
              'Updated',
              updatedAt === undefined ? (
                <Absent label="Not given" />
              ) : (
                <RelativeTime key="u" at={updatedAt} />
              ),
            ],
          ]}
        />
      </div>
      {proposals === undefined ? null : <Proposals proposals={proposals} state={state} />}
      {hasRest ? (
        <section className={join(pageStyles.inset, 'col')}>
          <h3>Other members</h3>
          <pre className={join(inputsStyles.area, styles.json)}>{JSON.stringify(rest, null, 2)}</pre>
        </section>
      ) : null}
    </>
  )
}

/** The status of an agent whose glyph says the same. The service may know other states: they get a dot. */
const LIKE: Record<string, string> = {
  proposing: 'creating',
  evaluating: 'under_review',
  awaiting_approval: 'pending',
  pending: 'pending',
  accepted: 'active',
  rejected: 'rejected',
}

function Word({ value }: { value: string }): ReactElement {
  return <Badge glyph={<StatusGlyph value={LIKE[value] ?? ''} />}>{inWords(value)}</Badge>
}

interface ProposalsProps {
  proposals: readonly Proposal[]
  state: string | undefined
}

function Proposals({ proposals, state }: ProposalsProps): ReactElement {
  if (proposals.length === 0) {
    return (
      <p className={join(pageStyles.inset, pageStyles.line, 't2')}>
        {state === 'awaiting_approval' ? 'The service lists no proposal to approve.' : 'No proposals now.'}
      </p>
    )
  }
  return (
    <Table
      label={plural(proposals.length, 'proposal')}
      fixed
      className={join(tableStyles.stack, pageStyles.line, styles.proposals)}
    >
      <thead>
        <tr>
          <Column>Proposed change of</Column>
          <Column width={130}>Verdict</Column>
          <Column width={90} right>
            Fitness
          </Column>
          <Column width={130} right>
            Proposed
          </Column>
        </tr>
      </thead>
      <tbody>
        {proposals.map((proposal, index) => (
          <tr key={proposal.id ?? index}>
            <td className="mono" title={proposal.id}>
              {proposal.field ?? <Absent label="Not given" />}
              {Object.keys(proposal.rest).length === 0 ? null : (
                <span className="t3"> {JSON.stringify(proposal.rest)}</span>
              )}
            </td>
            <td>{proposal.verdict === undefined ? <Absent /> : <Word value={proposal.verdict} />}</td>
            <td className="num r" data-label="Fitness">
              {proposal.fitness === undefined ? <Absent /> : formatScore(proposal.fitness)}
            </td>
            <td className="r t2">
              {proposal.createdAt === undefined ? <Absent /> : <RelativeTime at={proposal.createdAt} />}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}
