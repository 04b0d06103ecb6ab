import { backupClass, releaseClass, type EventClass } from '@hearth/notifications'

/** The event classes of the service, in the order in which pages list them. */
export const eventClasses = [
  { id: 'inverter.unreachable', group: 'Inverter', label: 'Inverter unreachable', severity: 'critical' },
  { id: 'inverter.fault', group: 'Inverter', label: 'Fault', severity: 'critical' },
  { id: 'parameters.changed', group: 'Inverter', label: 'Setting changed by somebody else', severity: 'warning' },
  { id: 'dispatch.ended', group: 'Battery control', label: 'Dispatch ended', severity: 'info' },
  { id: 'dispatch.aborted', group: 'Battery control', label: 'Dispatch stopped by a problem', severity: 'warning' },
  { id: 'dispatch.restored', group: 'Battery control', label: 'Settings restored after a crash', severity: 'warning' },
  { id: 'plan.day', group: 'Battery control', label: 'What yesterday cost with the plan', severity: 'info' },
  { id: 'mqtt.disconnected', group: 'MQTT', label: 'MQTT broker unreachable', severity: 'warning' },
  { id: 'time-series.stuck', group: 'Time series', label: 'Time-series database takes no points', severity: 'warning' },
  backupClass,
  releaseClass,
] as const satisfies readonly EventClass[]
