import type { components } from '../api.gen.ts'

type SiteEvent = components['schemas']['SiteEvent']

/** Which cached answers an event makes old, by the first word of their names in `keys`. */
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

/** What is to be read again after an event; everything is after `reset`, which is not asked here. */
export function staleAfter({ type }: Pick<SiteEvent, 'type'>): readonly string[] {
  return type === 'reset' ? [] : stale[type]
}
