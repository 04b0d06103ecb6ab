import type { EventEffects, Refresher } from '@hearth/ui'
import type { QueryClient } from '@tanstack/react-query'
import type { components } from './api.gen.ts'
import { type AdminDevice, keys, type MetricValue } from './api.ts'
import { mergeValues, patchDevice, changesHealth } from './live-changes.ts'
import { liveValue, type ValueMap } from './values/live-value.ts'

/** One event of `/api/v1/stream`. */
export type GatewayEvent = components['schemas']['GatewayEvent']

/** Applies an event to the cached answers: values and states are updated in place, the rest is read again. */
export function applyEvent(event: Exclude<GatewayEvent, { type: 'hello' }>, to: EventEffects): void {
  const { cache, refresher } = to
  switch (event.type) {
    case 'values':
      applyValues(event.device_id, { values: event.values, ...to })
      return
    case 'readiness':
      cache.setQueryData<AdminDevice[]>(keys.devices, (old) => patchDevice(old, event.device))
      refresher.note('transports')
      return
    case 'dispatch':
    case 'energy':
      refresher.note('energy')
      refresher.note(`journal ${event.device_id}`)
      return
    case 'changed':
      for (const name of staleAfter[event.collection]) refresher.note(name)
  }
}

function applyValues(
  deviceId: string,
  { values, cache, refresher }: { values: readonly MetricValue[]; cache: QueryClient; refresher: Refresher },
): void {
  const key = [...keys.values, deviceId]
  const before = cache.getQueryData<ValueMap>(key)
  const now = Date.now()
  const live = values.map((value) => liveValue(value, now))
  cache.setQueryData<ValueMap>(key, (old) => mergeValues(old, live))
  if (changesHealth(before, values)) refresher.note(`health ${deviceId}`)
}

/** Answers to read again after a change; energy and capabilities belong to devices, actions depend on settings and approvals. */
const staleAfter: Record<Extract<GatewayEvent, { type: 'changed' }>['collection'], readonly string[]> = {
  devices: ['devices', 'capabilities', 'energy', 'values', 'health', 'transports'],
  settings: ['settings', 'energy'],
  parameters: ['parameters', 'energy'],
  capabilities: ['capabilities', 'energy'],
  tokens: ['tokens'],
}
