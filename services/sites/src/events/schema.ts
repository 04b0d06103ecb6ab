import { z } from 'zod'

/** What happened, as the stream tells it. `reset` says that something was missed: read the state afresh. */
export const SiteEvent = z
  .object({
    type: z.enum([
      'site',
      'apply',
      'node',
      'certificate',
      'grade',
      'drift',
      'onboarding',
      'settings',
      'traffic',
      'reset',
    ]),
    action: z.string(),
    id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    ts: z.iso.datetime(),
  })
  .meta({ id: 'SiteEvent' })
export type SiteEvent = z.infer<typeof SiteEvent>

/** An event as a feature tells it; the moment is filled in. */
export type NewEvent = Pick<SiteEvent, 'action' | 'id'> & {
  readonly type: Exclude<SiteEvent['type'], 'reset'>
  readonly details?: Record<string, unknown>
}

/** Tells everyone who listens that something happened. Never fails and never waits. */
export type Publish = (event: NewEvent) => void
