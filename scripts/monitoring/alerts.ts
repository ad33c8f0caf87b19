import type { Alert } from './alert.ts'
import { databaseAlerts } from './alerts/database.ts'
import { deliveryAlerts } from './alerts/delivery.ts'
import { maintenanceAlerts } from './alerts/maintenance.ts'
import { objectiveAlerts } from './alerts/objectives.ts'
import { serviceAlerts } from './alerts/service.ts'
import { upstreamsAlerts } from './alerts/upstreams.ts'

export const ALERTS: Alert[] = [
  ...objectiveAlerts,
  ...serviceAlerts,
  ...databaseAlerts,
  ...upstreamsAlerts,
  ...deliveryAlerts,
  ...maintenanceAlerts,
]
