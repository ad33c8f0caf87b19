import type { Core, Feature } from '../../core.ts'
import { openApiRoute } from '../../http/openapi/openapi.ts'
import type { AuditFeature } from '../audit/feature.ts'
import type { BudgetFeature } from '../budgets/feature.ts'
import type { UserFeature } from '../users/feature.ts'
import { type MountOptions, mountRoutes } from './mount/routes.ts'
import { SERVICE_SCHEMAS } from './schema.ts'
import { createServices, serviceRoutes } from './services.ts'

export interface ServiceDeps {
  audit: AuditFeature
  budgets: BudgetFeature
  users: UserFeature
  /** What is mounted instead of the services of the services file. */
  mount?: MountOptions | undefined
}

/** Mounts the services that the services file names, and combines their documents with the console's own. */
export function serviceFeature(core: Core, { audit, budgets, users, mount }: ServiceDeps): Feature {
  return {
    schemas: SERVICE_SCHEMAS,
    routes: async (app) => {
      const services = createServices({ ...core, ...core.config })
      app.addHook('onClose', () => services.close())
      await app.register(serviceRoutes, { statuses: services.statuses })
      await app.register(openApiRoute, { onReady: services.start, getDocument: services.document })
      await app.register(mountRoutes, {
        ...(mount ?? services.mount),
        takePermit: (call) => budgets.budgets.takeForCall(call),
        recordCall: (call) => {
          users.names.remember(call.caller)
          audit.recorder.recordCall(call)
        },
      })
    },
  }
}
