import { createRefresher, type Refresher } from '@hearth/ui'
import type { QueryClient } from '@tanstack/react-query'
import type { components } from './api.gen.ts'
import { type AdminDevice, keys, type MetricValue } from './api.ts'
import { mergeValues, patchDevice, tellsHealth } from './live-changes.ts'
import { liveValue, type ValueMap } from './values/live-value.ts'

/** One event of `/api/v1/stream`. */
export type GatewayEvent = components['schemas']['GatewayEvent']

/**
 * What events do to the cached answers: values and states are written into them, edited collections are read again, a
 * burst of edits once. The first `hello` finds a fresh page; a later one means that events were missed.
 */
export function followEvents(): (event: GatewayEvent, cache: QueryClient) => void {
  let target: QueryClient | undefined
  let greeted = false
  const refresher = createRefresher((names) => {
    for (const name of names) void target?.invalidateQueries({ queryKey: name.split(' ') })
  })
  return (event, cache) => {
    target = cache
    if (event.type === 'hello' && greeted) void cache.invalidateQueries()
    if (event.type === 'hello') greeted = true
    else applyEvent(event, { cache, refresher })
  }
}

function applyEvent(
  event: Exclude<GatewayEvent, { type: 'hello' }>,
  to: { cache: QueryClient; refresher: Refresher },
): void {
  const { cache, refresher } = to
  switch (event.type) {
    case 'values':
      noteValues(event.device_id, { values: event.values, ...to })
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
      for (const name of staleAfter(event.collection)) refresher.note(name)
  }
}

function noteValues(
  deviceId: string,
  { values, cache, refresher }: { values: readonly MetricValue[]; cache: QueryClient; refresher: Refresher },
): void {
  const key = [...keys.values, deviceId]
  const before = cache.getQueryData<ValueMap>(key)
  const now = Date.now()
  const live = values.map((value) => liveValue(value, now))
  cache.setQueryData<ValueMap>(key, (old) => mergeValues(old, live))
  if (tellsHealth(before, values)) refresher.note(`health ${deviceId}`)
}

/** Energy and capabilities belong to devices; what may be done depends on settings and approvals. */
function staleAfter(collection: Extract<GatewayEvent, { type: 'changed' }>['collection']): string[] {
  switch (collection) {
    case 'devices':
      return ['devices', 'capabilities', 'energy', 'values', 'health', 'transports']
    case 'settings':
      return ['settings', 'energy']
    case 'parameters':
      return ['parameters', 'energy']
    case 'capabilities':
      return ['capabilities', 'energy']
    case 'tokens':
      return ['tokens']
  }
}
