import { backupClass, releaseClass, type EventClass } from '@hearth/notifications'

/** The event classes of the service, in the order in which pages list them. */
export const eventClasses = [
  { id: 'job.failed', group: 'Downloads', label: 'Download failed', severity: 'info' },
  {
    id: 'job.done',
    group: 'Downloads',
    label: 'Download finished (only where it is chosen here)',
    severity: 'info',
    isOnRequest: true,
  },
  { id: 'platform.blocked', group: 'Downloads', label: 'Platform blocks this server', severity: 'warning' },
  { id: 'storage.full', group: 'Downloads', label: 'Storage budget exhausted', severity: 'warning' },
  { id: 'storage.missing', group: 'Downloads', label: 'Stored files cannot be found', severity: 'critical' },
  { id: 'tool.update', group: 'Tools', label: 'Tool update given up', severity: 'warning' },
  backupClass,
  releaseClass,
] as const satisfies readonly EventClass[]
