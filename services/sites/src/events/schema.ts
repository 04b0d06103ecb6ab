import { z } from 'zod'

/** An event of the stream. `reset` means that events were missed: read the state again. */
export const SiteEvent = z
  .object({
    type: z.enum([
      'site',
      'apply',
      'node',
      'certificate',
      'order',
      'grade',
      'drift',
      'onboarding',
      'settings',
      'traffic',
      'uptime',
      'reset',
    ]),
    action: z.string(),
    id: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
    ts: z.iso.datetime(),
  })
  .meta({ id: 'SiteEvent' })
export type SiteEvent = z.infer<typeof SiteEvent>

/** An event as a feature publishes it, without its time. */
export type NewEvent = Pick<SiteEvent, 'action' | 'id'> & {
  readonly type: Exclude<SiteEvent['type'], 'reset'>
  readonly details?: Record<string, unknown>
}

/** Publishes an event to all subscribers. Never fails and never waits. */
export type Publish = (event: NewEvent) => void
