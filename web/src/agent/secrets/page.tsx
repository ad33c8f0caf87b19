import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactElement } from 'react'
import { api } from '../../api/client.ts'
import { keys } from '../../api/keys.ts'
import { describe } from '../../api/problem.ts'
import { join } from '../../shared/ui/class-names.ts'
import { Icon } from '../../shared/ui/icon.tsx'
import pageStyles from '../../shared/ui/page.module.css'
import { Failed, Loading } from '../../shared/ui/states.tsx'
import { useAgent } from '../queries.ts'
import { AddForm } from './add-form.tsx'
import { fieldSecrets, namedSecret } from './parts.ts'
import { ReadersCard } from './readers-card.tsx'
import { SecretCard } from './secret-card.tsx'

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
