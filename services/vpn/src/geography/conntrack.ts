/** One end-to-end flow of the kernel's connection table, with what was counted both ways so far. */
export interface Flow {
  /** Identifies the flow among all that exist at the same time. */
  readonly key: string
  /** Source and destination of the one that opened it, before any translation of addresses. */
  readonly source: string
  readonly destination: string
  /** Address that answers: the inner one when the destination was translated. */
  readonly answering: string
  /** Bytes from `source`, and bytes of the answers. */
  readonly sentBytes: number
  readonly answeredBytes: number
}

/**
 * Reads a line of `/proc/net/nf_conntrack`; undefined for one without byte counters (accounting was off when the flow began) or
 * of another kind.
 *
 * @example ipv4 2 tcp 6 431999 ESTABLISHED src=10.8.0.2 dst=192.0.2.1 sport=4 dport=443 packets=9 bytes=900 src=192.0.2.1 …
 */
export function parseFlow(line: string): Flow | undefined {
  const [family, , protocol, ...fields] = line.trim().split(/\s+/)
  if ((family !== 'ipv4' && family !== 'ipv6') || protocol === undefined) return undefined
  const ways: Record<string, string>[] = []
  for (const field of fields) {
    const equals = field.indexOf('=')
    if (equals === -1) continue
    const name = field.slice(0, equals)
    if (name === 'src') ways.push({})
    const way = ways.at(-1)
    if (way !== undefined && way[name] === undefined) way[name] = field.slice(equals + 1)
  }
  const [sent, answered] = ways
  if (sent === undefined || answered === undefined) return undefined
  const bytes = [sent['bytes'], answered['bytes']].map((text) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : -1))
  const [sentBytes = -1, answeredBytes = -1] = bytes
  const { src: source, dst: destination } = sent
  const answering = answered['src']
  if (source === undefined || destination === undefined || answering === undefined) return undefined
  if (sentBytes < 0 || answeredBytes < 0) return undefined
  const ports = `${sent['sport'] ?? sent['type'] ?? ''} ${sent['dport'] ?? sent['id'] ?? ''}`
  const key = `${protocol} ${source} ${destination} ${ports}`
  return { key, source, destination, answering, sentBytes, answeredBytes }
}

/** Bytes between an inner address and one outside, since they were last examined. */
export interface FlowDelta {
  readonly inner: string
  readonly outer: string
  /** From the inner address. */
  readonly rx: number
  readonly tx: number
}

/** Maximum number of flows that are followed at the same time; what is beyond is not counted. */
const maxFlows = 65_536

/**
 * Counts the bytes between two readings of the connection table. Flows that the first reading finds are not counted up to
 * there: an earlier process may have counted them. What a flow moves after the last reading before its end is not seen.
 */
export class FlowCounter {
  #known = new Map<string, { sent: number; answered: number }>()
  #next = new Map<string, { sent: number; answered: number }>()
  #isFirst = true

  /** Takes a flow of the reading that is going on; `isInner` is true for addresses of peers. */
  take(flow: Flow, isInner: (address: string) => boolean): FlowDelta | undefined {
    const isOutgoing = isInner(flow.source)
    if (!isOutgoing && !isInner(flow.answering)) return undefined
    if (this.#next.size >= maxFlows || this.#next.has(flow.key)) return undefined
    this.#next.set(flow.key, { sent: flow.sentBytes, answered: flow.answeredBytes })
    if (this.#isFirst) return undefined
    const before = this.#known.get(flow.key)
    const sent = grown(before?.sent, flow.sentBytes)
    const answered = grown(before?.answered, flow.answeredBytes)
    if (sent === 0 && answered === 0) return undefined
    return isOutgoing
      ? { inner: flow.source, outer: flow.destination, rx: sent, tx: answered }
      : { inner: flow.answering, outer: flow.source, rx: answered, tx: sent }
  }

  /** The reading is complete: flows that were not in it are over. */
  endReading(): void {
    this.#known = this.#next
    this.#next = new Map()
    this.#isFirst = false
  }
}

/** A counter that went down belongs to another flow with the same ends. */
function grown(before: number | undefined, now: number): number {
  return before === undefined || now < before ? now : now - before
}
