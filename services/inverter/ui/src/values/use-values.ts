import { answer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readCapabilities } from '../api.ts'
import { signsOf } from './energy-flow.ts'
import { liveValue, type ValueMap } from './live-value.ts'
import { watchedMetrics } from './metric-names.ts'

/** Values of one device on screen: read once, then updated by events. */
export function useValues(deviceId: string | undefined) {
  return useQuery({
    queryKey: [...keys.values, deviceId],
    enabled: deviceId !== undefined,
    queryFn: () => readValues(deviceId ?? ''),
  })
}

async function readValues(deviceId: string): Promise<ValueMap> {
  const [first = [], ...others] = watchedMetrics
  const values = await readPortion(deviceId, first)
  // A single-tower device may not answer for the second one: what failed there is no failure of the page.
  for (const names of others) values.push(...(await readPortion(deviceId, names).catch(() => [])))
  return Object.fromEntries(values.map((value) => [value.name, value]))
}

async function readPortion(deviceId: string, names: readonly string[]) {
  const params = { path: { device_id: deviceId }, query: { names: names.join(',') } }
  const { metrics } = await answer(api.GET('/api/v1/devices/{device_id}/metrics', { params }))
  const now = Date.now()
  return metrics.map((value) => liveValue(value, now))
}

/** The signs of a device; positive until its capabilities are read. */
export function useSigns(deviceId: string | undefined) {
  const capabilities = useQuery({
    queryKey: [...keys.capabilities, deviceId],
    enabled: deviceId !== undefined,
    queryFn: () => readCapabilities(deviceId ?? ''),
  })
  return signsOf(capabilities.data ?? [])
}
