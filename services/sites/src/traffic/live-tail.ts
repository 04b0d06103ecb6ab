import type { Readable } from 'node:stream'
import { createEventStream } from '@hearth/http'
import type { Clock } from '@hearth/runtime'
import type { LogLine } from './access-log/log-line.ts'

/** A request as it happens, or the first word of a stream. */
export interface LiveRequest {
  /** Null in the first event of a stream, which says that it is on. */
  readonly request: (Omit<LogLine, 'siteId' | 'isProbe'> & { readonly siteId: number | null }) | null
  /** Requests left out since the last event, because more came than anyone can read. */
  readonly skipped: number
}

/** Who looks on. */
export interface LiveListener {
  readonly owner: string
  /** Only this site; all when undefined. */
  readonly siteId: number | undefined
  readonly stillAllowed: () => Promise<boolean>
}

/** Requests as they happen, to whoever looks on. */
export interface LiveTail {
  /** Undefined when too many look on already. */
  subscribe(listener: LiveListener): Readable | undefined
  publish(line: LogLine, siteId: number | undefined): void
  close(): void
}

/** How old a request may be and still be news, milliseconds; requests a second one is shown; and how many may look on, of one owner too. */
const newsFor = 60_000
const mostPerSecond = 50
const mostListeners = 20
const mostForOwner = 10

/** @param wire how an event goes over the wire */
export function createLiveTail(clock: Clock, wire: (event: LiveRequest) => object): LiveTail {
  const stream = createEventStream<object>({ maximum: mostListeners, backlogBytes: 262_144 })
  const open: string[] = []
  return {
    subscribe({ owner, siteId, stillAllowed }) {
      if (open.filter((one) => one === owner).length >= mostForOwner) return undefined
      const view = viewFor(siteId, { clock, wire })
      const first = wire({ request: null, skipped: 0 })
      const listener = { owner, stillAllowed, view: (event: object) => view(event as LiveRequest) }
      const own = stream.subscribe(listener, first)?.stream
      if (own === undefined) return undefined
      open.push(owner)
      own.on('close', () => void open.splice(open.indexOf(owner), 1))
      return own
    },
    publish(line, siteId) {
      if (stream.listeners === 0 || line.at < clock.now() - newsFor) return
      const { isProbe: _isProbe, ...request } = line
      stream.publish({ request: { ...request, siteId: siteId ?? null }, skipped: 0 })
    },
    close: () => stream.close(),
  }
}

/** What one listener is shown: its site, and no more than can be read. */
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
    if (sent >= mostPerSecond) {
      skipped += 1
      return undefined
    }
    sent += 1
    const shown = wire({ ...event, skipped })
    skipped = 0
    return shown
  }
}
