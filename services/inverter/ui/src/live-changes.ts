import type { AdminDevice, DeviceReadiness, MetricValue } from './api.ts'
import type { LiveValue, ValueMap } from './values/live-value.ts'

/** Puts newer values beside those that are known; a value older than the known one changes nothing. */
export function mergeValues(old: ValueMap | undefined, values: readonly LiveValue[]): ValueMap | undefined {
  if (old === undefined) return undefined
  const newer = values.filter((value) => {
    const known = old[value.name]
    return known === undefined || known.timestamp <= value.timestamp
  })
  if (newer.length === 0) return old
  return { ...old, ...Object.fromEntries(newer.map((value) => [value.name, value])) }
}

/** Writes a device's new readiness into the list of devices. */
export function patchDevice(
  old: AdminDevice[] | undefined,
  { device_id, state, ready, last_success_at }: DeviceReadiness,
): AdminDevice[] | undefined {
  return old?.map((device) => (device.device_id === device_id ? { ...device, state, ready, last_success_at } : device))
}

const healthMetrics = /^(?:inverter_state|battery_status2?|fault_\d+_flt|power_mng_bat_next_calib_date)$/

/** True when values came that change what the inverter says about itself. */
export function changesHealth(old: ValueMap | undefined, values: readonly MetricValue[]): boolean {
  return values.some(({ name, value }) => healthMetrics.test(name) && old !== undefined && old[name]?.value !== value)
}
