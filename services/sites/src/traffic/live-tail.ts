import { createLocalBus, EventStream } from '@hearth/events'
import type { Clock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'

/** A request as it happens, or the first word of a stream. */
export interface LiveRequest {
  /** Null in the first event of a stream, which says that it is on. */
  readonly request: (Omit<LogLine, 'siteId' | 'isProbe'> & { readonly siteId: number | null }) | null
  /** Requests left out since the last event, because more came than anyone can read. */
  readonly skipped: number
}

/** A subscriber of the live tail. */
export interface LiveSubscriber {
  readonly owner: string
  /** Only this site; all when undefined. */
  readonly siteId: number | undefined
  readonly isAllowed: () => Promise<boolean>
}

/** Requests as they happen. */
export type LiveTail = ReturnType<typeof createLiveTail>

/** Age up to which a request is still news, milliseconds. */
const maxAge = 60_000
/** Requests that one subscriber gets in a second. */
const maxPerSecond = 50

/** @param wire how an event goes over the wire */
export function createLiveTail(clock: Clock, wire: (event: LiveRequest) => object) {
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
        greet: () => wire({ request: null, skipped: 0 }),
        view: viewFor(siteId, { clock, wire }),
      }),
    publish(line: LogLine, siteId: number | undefined): void {
      if (stream.size === 0 || line.at < clock.now() - maxAge) return
      const { isProbe: _isProbe, ...request } = line
      stream.publish({ request: { ...request, siteId: siteId ?? null }, skipped: 0 })
    },
    close: () => stream.close(),
  }
}

/** Limits what one subscriber gets to its site, and to as much as can be read. */
function viewFor(
  siteId: number | undefined,
  { clock, wire }: { clock: Clock; wire: (event: LiveRequest) => object },
): (event: LiveRequest) => object | undefined {
  let second = 0
  let sent = 0
  let skipped = 0
  return (event) => {
    if (siteId !== undefined && event.request?.siteId !== siteId) return undefined
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
    const shown = wire({ ...event, skipped })
    skipped = 0
    return shown
  }
}
