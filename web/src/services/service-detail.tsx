import type { ServiceStatus } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import { formatCount } from '../shared/numbers.ts'
import { formatUtc } from '../shared/time.ts'
import { CopyButton } from '../shared/ui/copy-button.tsx'
import { Icon } from '../shared/ui/icon.tsx'
import { DescriptionList } from '../shared/ui/page.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import { breakingChangeText, referenceOf } from './state.ts'

export function ServiceDetail({ service }: { service: ServiceStatus }): ReactElement {
  return (
    <div className="xin g-x">
      <div className="col col-4">
        {service.errors.length === 0 ? null : (
          <section className="col">
            <h3>Why it is not up</h3>
            <ul className="col col-1">
              {service.errors.map((error) => (
                <Sentence key={error} text={error} />
              ))}
            </ul>
          </section>
        )}
        <Mismatches service={service} />
        {service.document === null || service.document.left_out.length === 0 ? null : (
          <section className="col">
            <h3>
              Operations that are not mounted <span className="t3">{service.document.left_out.length}</span>
            </h3>
            <ul className="col col-1">
              {service.document.left_out.map((sentence) => (
                <Sentence key={sentence} text={sentence} />
              ))}
            </ul>
          </section>
        )}
      </div>
      <div className="col col-4">
        <BreakingChange service={service} />
        <DocumentFacts service={service} />
      </div>
    </div>
  )
}

function Sentence({ text }: { text: string }): ReactElement {
  return (
    <li className="row top">
      <span className="warn-t mt0">
        <Icon name="alert" size="s" />
      </span>
      <span className="any-wrap">{text}</span>
    </li>
  )
}

function Mismatches({ service: { responses, tag } }: { service: ServiceStatus }): ReactElement {
  const { checked, mismatched, mismatches } = responses
  return (
    <section className="col">
      <h3>
        Responses that do not match the document
        {checked === 0 ? null : (
          <span className="t3">
            {formatCount(mismatched)} of {formatCount(checked)} sampled
          </span>
        )}
      </h3>
      {mismatches.length === 0 ? (
        <p className="t2">
          {checked === 0 ? 'No response was checked yet.' : 'All checked responses match.'}
        </p>
      ) : (
        <ul className="mismatches">
          {mismatches.map(({ operation_id, method, path, difference, count, last_at }) => (
            <li key={operation_id}>
              <span className="mono t2">{method.toUpperCase()}</span>
              <a
                className="mono link any-wrap"
                href={referenceOf(tag, { method, path })}
                target="_blank"
                rel="noreferrer"
              >
                {path}
                <span className="hid"> in the API reference, opens a new tab</span>
              </a>
              <span className="what any-wrap">{difference}</span>
              <span className="num b5">{formatCount(count)}</span>
              <span className="t2 sm">
                <RelativeTime at={last_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function BreakingChange({ service }: { service: ServiceStatus }): ReactElement {
  const change = service.last_breaking_change
  return (
    <section className="col">
      <h3>
        Last breaking change
        {change === null ? null : <span className="t3">{formatUtc(change.at)}</span>}
      </h3>
      {change === null ? (
        <p className="t2">None recorded.</p>
      ) : (
        <>
          <p className="row">
            <del className="mono ver del">{change.from_version}</del>
            <Icon name="forward" size="xs" className="t3" />
            <ins className="mono ver add">{change.to_version}</ins>
          </p>
          <ul className="col col-1">
            {change.changes.map((sentence) => (
              <Sentence key={sentence} text={sentence} />
            ))}
          </ul>
        </>
      )}
      <div className="row wrap">
        <a className="btn" href={referenceOf(service.tag)} target="_blank" rel="noreferrer">
          <Icon name="external" size="s" />
          Open the reference
          <span className="hid"> in a new tab</span>
        </a>
        {change === null ? null : (
          <CopyButton text={() => breakingChangeText(service)} label="Copy as text" done="Changes copied" />
        )}
      </div>
    </section>
  )
}

function DocumentFacts({ service: { document, prefixes } }: { service: ServiceStatus }): ReactElement {
  return (
    <section className="col">
      <h3>Document</h3>
      <DescriptionList
        items={[
          ['Title', document?.title ?? 'None yet'],
          ...(document === null
            ? []
            : ([['Loaded', <RelativeTime key="loaded" at={document.since} />]] as const)),
          [
            'Prefixes',
            <span key="prefixes" className="mono">
              {prefixes.join(', ')}
            </span>,
          ],
        ]}
      />
    </section>
  )
}
