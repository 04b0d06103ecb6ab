import type { EventEffects } from '@hearth/ui'
import { type AdminDevice, keys, type Schemas } from './api.ts'
import { mergeValues, patchDevice, changesHealth } from './live-changes.ts'
import { liveValue, type ValueMap } from './values/live-value.ts'

/** One event of `/api/v1/stream`. */
export type GatewayEvent = Schemas['GatewayEvent']

/** Applies an event to the cached answers: values and states are updated in place, the rest is read again. */
export function applyEvent(event: Exclude<GatewayEvent, { type: 'hello' }>, to: EventEffects): void {
  const { cache, refresher } = to
  switch (event.type) {
    case 'values': {
      const key = [...keys.values, event.device_id]
      const before = cache.getQueryData<ValueMap>(key)
      const now = Date.now()
      const live = event.values.map((value) => liveValue(value, now))
      cache.setQueryData<ValueMap>(key, (old) => mergeValues(old, live))
      if (changesHealth(before, event.values)) refresher.note(`health ${event.device_id}`)
      return
    }
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

/** Answers to read again after a change; energy and capabilities belong to devices, actions depend on settings and approvals. */
const staleAfter: Record<Extract<GatewayEvent, { type: 'changed' }>['collection'], readonly string[]> = {
  devices: ['devices', 'capabilities', 'energy', 'values', 'health', 'transports', 'shared-port'],
  settings: ['settings', 'energy'],
  parameters: ['parameters', 'energy'],
  capabilities: ['capabilities', 'energy'],
  tokens: ['tokens'],
  mqtt: ['mqtt'],
  'shared-port': ['shared-port'],
  'energy-history': ['energy-history'],
  'time-series': ['time-series'],
  plans: ['plans'],
  snapshots: ['snapshots'],
  'inverter-search': ['inverter-search'],
  plant: ['plant', 'energy-history', 'plans'],
}
