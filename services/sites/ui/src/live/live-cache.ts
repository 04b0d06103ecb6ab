import type { EventEffects } from '@hearth/ui'
import type { components } from '../api.gen.ts'

/** One event of `/api/v1/events`. */
export type SiteEvent = components['schemas']['SiteEvent']

/** Cached answers that an event makes stale, by the first word of their names in `keys`. */
const stale: Readonly<Record<Exclude<SiteEvent['type'], 'reset'>, readonly string[]>> = {
  site: ['sites', 'certificates', 'status'],
  apply: ['sites', 'revisions', 'nodes', 'status', 'onboarding', 'traffic'],
  node: ['nodes', 'status', 'onboarding'],
  certificate: ['certificates', 'status'],
  grade: ['certificates', 'sites', 'status'],
  drift: ['nodes', 'status', 'revisions'],
  onboarding: ['onboarding', 'nodes', 'sites', 'status'],
  settings: ['settings', 'status'],
  traffic: ['traffic', 'status'],
}

/** Reads again what an event made stale: everything after `reset`, because events were missed. */
export function applyEvent({ type }: SiteEvent, { cache, refresher }: EventEffects): void {
  if (type === 'reset') void cache.invalidateQueries()
  else for (const name of stale[type]) refresher.note(name)
}
