import type { Condition, NewNotification, Reports } from '@hearth/notifications'
import type { EndedOperation } from '../dispatch/dispatch.ts'
import type { StopReason } from '../dispatch/schema.ts'
import type { DeviceHealth } from '../health/schema.ts'
import type { DeviceReadiness } from '../readiness/schema.ts'

/** A device as reports name it. */
interface ReportedDevice {
  readonly id: string
  readonly displayName: string
}

export interface InverterReportsDependencies {
  readonly reports: Reports
  readonly devices: () => readonly ReportedDevice[]
  /** Undefined for a device that is not connected. */
  readonly conditionOf: (id: string) => Pick<DeviceReadiness, 'state'> | undefined
  /** True for an inverter without a battery that is silent because it is dark. */
  readonly isOffForNight: (id: string) => Promise<boolean>
  /** Reads the faults from the device. */
  readonly health: (id: string) => Promise<Pick<DeviceHealth, 'faults' | 'unavailable'>>
  /** Resolves to false while nobody gets messages: devices are then not read. */
  readonly isNeeded: () => Promise<boolean>
  readonly isStopping: () => boolean
}

/** Ends that are what was asked for. */
const expected: Readonly<Partial<Record<StopReason, string>>> = {
  target_reached: 'It reached its target.',
  ttl_expired: 'Its time was over.',
}

/** Ends that somebody should know about. */
const problems: Readonly<Partial<Record<StopReason, string>>> = {
  telemetry_stale: 'The inverter gave no new values.',
  device_error: 'The inverter refused a command or did not answer.',
  store_unavailable: 'The state of the operation could not be stored.',
  snapshot_stale: 'The settings from before could not be read.',
}

/** Creates the reports of what the service observes. */
export function createInverterReports(dependencies: InverterReportsDependencies) {
  const { reports, devices, conditionOf, isOffForNight, health, isNeeded, isStopping } = dependencies
  const nameOf = (id: string) => devices().find((device) => device.id === id)?.displayName || id
  const isKnown = (id: string) => devices().some((device) => device.id === id)

  async function checkReachable(): Promise<void> {
    const stateOf = (id: string) => conditionOf(id)?.state
    const conditions: Condition[] = []
    for (const { id } of devices()) {
      // One that sleeps until the morning is no reason to wake anybody.
      if (stateOf(id) !== 'unreachable' || (await isOffForNight(id))) continue
      const text = 'The inverter does not answer. Is it switched on, and on the network?'
      conditions.push({ subject: id, title: `Inverter ${nameOf(id)} is unreachable`, text, path: pathOf(id) })
    }
    reports.replaceAll('inverter.unreachable', conditions, {
      // After a start, or in maintenance, nothing is known yet.
      isKept: (id) => isKnown(id) && stateOf(id) !== 'ok' && stateOf(id) !== 'degraded',
      ended: (id) =>
        isKnown(id) ? { title: `Inverter ${nameOf(id)} answers again`, text: '', path: pathOf(id) } : undefined,
    })
  }

  async function checkFaults(): Promise<void> {
    const conditions: Condition[] = []
    const unread = new Set<string>()
    for (const { id } of devices()) {
      const found = await health(id).catch(() => undefined)
      if (found === undefined || found.unavailable.some((name) => name.startsWith('fault_'))) unread.add(id)
      for (const { bit, label } of found?.faults ?? []) {
        const title = `Fault at ${nameOf(id)}: ${label.replaceAll('_', ' ')}`
        conditions.push({ subject: `${id} ${bit} ${label}`, title, text: `Fault number ${bit}.`, path: pathOf(id) })
      }
    }
    reports.replaceAll('inverter.fault', conditions, {
      isKept: (subject) => unread.has(deviceOf(subject)),
      ended(subject) {
        const id = deviceOf(subject)
        const label = subject.split(' ').slice(2).join(' ').replaceAll('_', ' ')
        return isKnown(id)
          ? { title: `Fault at ${nameOf(id)} is over: ${label}`, text: '', path: pathOf(id) }
          : undefined
      },
    })
  }

  return {
    /** Reports devices that do not answer, and their faults. */
    async check(): Promise<void> {
      await checkReachable()
      if (await isNeeded()) await checkFaults()
    },
    /** Reports the end of an operation, once the device has its own settings again. */
    dispatchEnded(ended: EndedOperation): Promise<void> {
      const event = eventOf(ended, { name: nameOf(ended.deviceId), isStopping: isStopping() })
      if (event !== undefined) reports.notify({ ...event, path: `/energy/${ended.deviceId}` })
      return Promise.resolve()
    },
  }
}

/** The event of an end; undefined for one that somebody asked for. */
function eventOf(
  { operation, stopReason }: EndedOperation,
  { name, isStopping }: { readonly name: string; readonly isStopping: boolean },
): NewNotification | undefined {
  const what = `${operation.mode.replaceAll('_', ' ')} of ${name}`
  const problem = problems[stopReason]
  const end = expected[stopReason]
  if (problem !== undefined) return { class: 'dispatch.aborted', title: `Dispatch stopped: ${what}`, text: problem }
  // The parts of a plan end many times a day, as they are meant to.
  if (end !== undefined && operation.origin === 'plan') return undefined
  if (end !== undefined) return { class: 'dispatch.ended', title: `Dispatch ended: ${what}`, text: end }
  if (stopReason !== 'shutdown' || isStopping) return undefined
  return {
    class: 'dispatch.restored',
    title: `Settings of ${name} were restored`,
    text: `The service had ended during ${what}. The inverter has its own settings again.`,
  }
}

const pathOf = (id: string): string => `/inverters/${id}`

const deviceOf = (subject: string): string => subject.split(' ')[0] ?? ''
