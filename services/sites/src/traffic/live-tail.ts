import { createLocalBus, EventStream } from '@hearth/events'
import type { Clock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'
import type { LiveRequest } from './schema.ts'

/** A subscriber of the live tail. */
interface LiveSubscriber {
  readonly owner: string
  /** Only this site; all when undefined. */
  readonly siteId: number | undefined
  readonly isAllowed: () => Promise<boolean>
}

/** Requests as they happen. */
export type LiveTail = ReturnType<typeof createLiveTail>

/** Maximum age of a request that is still published, milliseconds. */
const maxAge = 60_000
/** Requests that one subscriber gets in a second. */
const maxPerSecond = 50

/** Creates the tail. Requests that nobody watches are dropped. */
export function createLiveTail(clock: Clock) {
  const stream = new EventStream<LiveRequest>({
    bus: createLocalBus(0),
    maxStreams: 20,
    maxPerOwner: 10,
    maxQueued: { bytes: 262_144 },
  })
  return {
    /** Opens a stream; undefined when too many are open. */
    subscribe: ({ owner, siteId, isAllowed }: LiveSubscriber) =>
      stream.subscribe({
        owner,
        isAllowed,
        greet: () => ({ request: null, skipped: 0 }),
        view: viewFor(siteId, clock),
      }),
    publish(line: LogLine, siteId: number | undefined): void {
      if (stream.size === 0 || line.at < clock.now() - maxAge) return
      const { at, siteId: _logged, durationMs, isProbe: _isProbe, ...rest } = line
      const request = { at: new Date(at).toISOString(), site_id: siteId ?? null, duration_ms: durationMs, ...rest }
      stream.publish({ request, skipped: 0 })
    },
    close: () => stream.close(),
  }
}

/** Limits what one subscriber gets to its site, and to as much as can be read. */
function viewFor(siteId: number | undefined, clock: Clock): (event: LiveRequest) => LiveRequest | undefined {
  let second = 0
  let sent = 0
  let skipped = 0
  return (event) => {
    if (siteId !== undefined && event.request?.site_id !== siteId) return undefined
    const current = Math.floor(clock.monotonic() / 1000)
    if (current !== second) {
      second = current
      sent = 0
    }
    if (sent >= maxPerSecond) {
      skipped += 1
      return undefined
    }
    sent += 1
    const shown = { ...event, skipped }
    skipped = 0
    return shown
  }
}
