import type { AuditEvent } from '@agent-console/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api, keys } from '../../api/client.ts'
import { describe } from '../../api/problem.ts'
import { useMay, useMe } from '../../auth/permissions.ts'
import { Avatar } from '../../shared/ui/badges.tsx'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Card } from '../../shared/ui/page.tsx'
import { RelativeTime } from '../../shared/ui/relative-time.tsx'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { personName } from '../../shared/words.ts'
import { fieldLabel } from '../fields/labels.ts'
import { useAgent } from '../queries.ts'
import { AddForm } from './forms.tsx'
import { SecretCard } from './secret-card.tsx'
import { fieldSecrets, namedSecret, readersKey } from './secrets.ts'

const route = getRouteApi('/agents/$id/secrets')

export function SecretsPage(): ReactElement | null {
  const { id } = route.useParams()
  const { data: result } = useAgent(id)
  const named = useQuery({
    queryKey: keys.secretNames(id),
    queryFn: ({ signal }) => api().agents.secretNames(id, { signal }),
  })
  if (result === undefined) return null
  return (
    // The key: nothing that was revealed or typed for one agent may be shown for the next.
    <div className={join(pageStyles.body, pageStyles.columns)} key={id}>
      <div className="col col-4">
        {fieldSecrets(result.agent).map((secret) => (
          <SecretCard key={secret.path} result={result} secret={secret} />
        ))}
        {named.data?.results.map((each) => (
          <SecretCard key={each.name} result={result} secret={namedSecret(each)} />
        ))}
        {named.data !== undefined ? (
          <AddForm result={result} names={named.data.results.map(({ name }) => name)} />
        ) : named.error === null ? (
          <Loading what="the named secrets" rows={2} />
        ) : (
          <Failed
            title="The named secrets could not be loaded"
            failure={describe(named.error)}
            onRetry={() => void named.refetch()}
          />
        )}
      </div>
      <div className="col col-4">
        <ReadersCard id={id} />
        <section className={pageStyles.banner}>
          <Icon name="info" className="t2" />
          <span className="t2 sm">
            Every reveal and copy is recorded in the audit log under your name before the value leaves the
            server. The server hands out all secrets of the agent together, so the record names all of them.
            Values are never kept in the form, the address or the browser’s storage.
          </span>
        </section>
      </div>
    </div>
  )
}

const SHOWN = 8

/** Who has read the secrets in clear text. */
export function ReadersCard({ id }: { id: string }): ReactElement {
  const may = useMay('audit:read')
  const { data, error, refetch } = useQuery({
    queryKey: readersKey(id),
    queryFn: ({ signal }) =>
      api().audit.list({ agent_id: id, action: 'secrets_read', limit: SHOWN }, { signal }),
    enabled: may,
  })
  return (
    <Card
      flush
      title="Who has seen them"
      {...(may
        ? {
            aside: (
              <Link to="/audit" search={{ agent_id: id, action: 'secrets_read' }} className="link">
                Audit
              </Link>
            ),
          }
        : {})}
    >
      {!may ? (
        <p className={join(pageStyles.inset, 't2')}>
          To see it you need the permission <span className="mono">audit:read</span>.
        </p>
      ) : error !== null ? (
        <Failed
          title="The list could not be loaded"
          failure={describe(error)}
          onRetry={() => void refetch()}
        />
      ) : data === undefined ? (
        <Loading what="the list of readers" rows={4} />
      ) : data.results.length === 0 ? (
        <p className={join(pageStyles.inset, 't2')}>Nobody, as far as the audit log goes back.</p>
      ) : (
        <ul className={pageStyles.list}>
          {data.results.map((event) => (
            <Reader key={event.id} event={event} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function Reader({ event }: { event: AuditEvent }): ReactElement {
  const me = useMe()
  const fields = Array.isArray(event.detail['fields']) ? event.detail['fields'].map(String) : []
  return (
    <li>
      <Avatar name={event.changed_by_name} />
      <span className="grow">
        <span className="b5">{personName(event.changed_by_name, event.user_id)}</span>
        {event.user_id === me.user_id ? <span className="t3"> · you</span> : null}
        <br />
        <span className="sm t2">{fields.map(fieldLabel).join(', ')}</span>
      </span>
      <span className="sm t3 nowrap">
        <RelativeTime at={event.at} />
      </span>
    </li>
  )
}
