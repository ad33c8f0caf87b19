import type { ServiceStatus } from '@agent-console/sdk'
import type { ReactElement } from 'react'
import buttonStyles from '../shared/ui/button.module.css'
import { join } from '../shared/ui/class-names.ts'
import { Icon } from '../shared/ui/icon.tsx'
import { DescriptionList } from '../shared/ui/page.tsx'
import { RelativeTime } from '../shared/ui/relative-time.tsx'
import tableStyles from '../shared/ui/table.module.css'
import { referenceOf } from './state.ts'

export function ServiceDetail({ service }: { service: ServiceStatus }): ReactElement {
  return (
    <div className={join(tableStyles.detail, tableStyles.detailColumns)}>
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

function DocumentFacts({ service }: { service: ServiceStatus }): ReactElement {
  const { document, prefixes } = service
  return (
    <section className="col">
      <h3>Document</h3>
      <DescriptionList
        items={[
          ['Title', document?.title ?? 'None yet'],
          ...(document === null
            ? []
            : ([['Changed', <RelativeTime key="changed" at={document.since} />]] as const)),
          [
            'Prefixes',
            <span key="prefixes" className="mono">
              {prefixes.join(', ')}
            </span>,
          ],
        ]}
      />
      <div className="row wrap">
        <a className={buttonStyles.button} href={referenceOf(service)} target="_blank" rel="noreferrer">
          <Icon name="external" size="s" />
          Open the reference
          <span className="hid"> in a new tab</span>
        </a>
      </div>
    </section>
  )
}
