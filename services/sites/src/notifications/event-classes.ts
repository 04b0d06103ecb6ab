import { backupClass, releaseClass, type EventClass } from '@hearth/notifications'

/** The event classes of the service, in the order in which pages list them. */
export const eventClasses = [
  { id: 'site.down', group: 'Sites', label: 'Site down', severity: 'critical' },
  { id: 'certificate.problem', group: 'Certificates', label: 'Certificate expiring or missing', severity: 'warning' },
  { id: 'certificate.order', group: 'Certificates', label: 'Certificate order failed', severity: 'warning' },
  { id: 'certificate.grade', group: 'Certificates', label: 'Grade fallen', severity: 'warning' },
  { id: 'caddy.unreachable', group: 'Caddy servers', label: 'Caddy server unreachable', severity: 'critical' },
  { id: 'caddy.drift', group: 'Caddy servers', label: 'Configuration changed outside Hearth', severity: 'warning' },
  { id: 'vpn.away', group: 'Hearth VPN', label: 'Linked VPN away or refusing', severity: 'warning' },
  backupClass,
  releaseClass,
] as const satisfies readonly EventClass[]
