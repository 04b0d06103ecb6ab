import type { Kysely } from 'kysely'
import { typeName } from '../dns/wire/code-names.ts'
import type { Tables } from '../tables.ts'
import type { Hints } from './hints.ts'
import { noteBlocked, type SurgeFinding, type SurgeState } from './list-surge.ts'
import type { Evidence } from './schema.ts'
import { deleteStates, listsByNumber, peersByNumber, readStates, writeStates } from './store.ts'
import type { TunnelFinding } from './tunnelling.ts'
import type { WatchReport } from './watch-report.ts'

const hour = 3_600_000
/** Counts are written this often, milliseconds. */
const writeEveryMs = 300_000
/** An update of a list may be the reason for what it blocks for so long, milliseconds. */
const updateMs = 24 * hour

export interface DnsWatchDependencies {
  readonly db: Kysely<Tables>
  readonly hints: Pick<Hints, 'record' | 'forgetQueries' | 'isOn'>
}

type ListRow = Awaited<ReturnType<typeof listsByNumber>>[number]

/** Takes what the resolver noticed in the queries, and makes hints of it. */
export class DnsWatch {
  readonly #dependencies: DnsWatchDependencies
  #surges: Map<string, SurgeState> | undefined
  #writtenAt = 0
  #countedHour = 0
  #isDirty = false
  /** True once nothing is kept of lists, because their hints are off. */
  #isForgotten = false

  constructor(dependencies: DnsWatchDependencies) {
    this.#dependencies = dependencies
  }

  async noticed({ at, tunnels, blocked }: WatchReport): Promise<void> {
    const { db, hints } = this.#dependencies
    if (tunnels.length > 0 && hints.isOn('tunnelling')) {
      const peers = await peersByNumber(db, [...new Set(tunnels.map(({ client }) => client))])
      const byNumber = new Map(peers.map(({ number, ...peer }) => [number, peer]))
      for (const { client, domain, finding } of tunnels) {
        const subject = byNumber.get(client)
        if (subject === undefined) continue
        const evidence = () => tunnelEvidence(domain, finding)
        await hints.record({ kind: 'tunnelling', subject, topic: domain, about: domain, at: finding.to, evidence })
      }
    }
    if (blocked.length > 0 && hints.isOn('list_surge')) await this.#noteBlocked(at, blocked)
  }

  async #noteBlocked(at: number, blocked: WatchReport['blocked']): Promise<void> {
    const { db, hints } = this.#dependencies
    const surges = (this.#surges ??= await this.#load())
    const lists = await listsByNumber(db, [...new Set(blocked.map(({ list }) => list))])
    const byNumber = new Map(lists.map((list) => [list.number, list]))
    for (const { list: number, count, names } of blocked) {
      const list = byNumber.get(number)
      if (list === undefined) continue
      const { state, finding } = noteBlocked(surges.get(list.id), { at, count, names })
      surges.set(list.id, state)
      this.#isDirty = true
      if (finding === undefined) continue
      const { id, name } = list
      const evidence = () => surgeEvidence(list, finding, at)
      await hints.record({ kind: 'list_surge', subject: { id, name }, topic: '', about: '', at, evidence })
    }
  }

  /** Deletes hints of queries that were deleted from the log: before a time, by one client or by all (null). */
  async forget(before: number, client: number | null): Promise<void> {
    const { db, hints } = this.#dependencies
    if (client === null) return hints.forgetQueries(before, null)
    const [peer] = await peersByNumber(db, [client])
    if (peer !== undefined) await hints.forgetQueries(before, peer.id)
  }

  /** Ends hours in which lists blocked nothing, and writes counts down when that is due. */
  async check(now: number): Promise<void> {
    if (!this.#dependencies.hints.isOn('list_surge')) return this.#forgetLists()
    this.#isForgotten = false
    const surges = (this.#surges ??= await this.#load())
    const current = Math.floor(now / hour)
    if (current !== this.#countedHour) {
      this.#countedHour = current
      for (const [id, state] of surges) surges.set(id, noteBlocked(state, { at: now, count: 0, names: [] }).state)
      this.#isDirty = surges.size > 0
    }
    if (this.#isDirty && Math.abs(now - this.#writtenAt) >= writeEveryMs) await this.flush(now)
  }

  /** Switched off, nothing is kept of what lists block. */
  async #forgetLists(): Promise<void> {
    if (this.#isForgotten) return
    this.#surges = undefined
    this.#isDirty = false
    await deleteStates(this.#dependencies.db, 'list_surge')
    this.#isForgotten = true
  }

  async flush(now: number): Promise<void> {
    this.#writtenAt = now
    if (!this.#isDirty) return
    this.#isDirty = false
    const states = new Map(Array.from(this.#surges ?? [], ([id, state]) => [id, textOf(state)]))
    await writeStates(this.#dependencies.db, 'list_surge', states)
  }

  async #load(): Promise<Map<string, SurgeState>> {
    const rows = await readStates(this.#dependencies.db, 'list_surge')
    return new Map(rows.map(({ subject, state }) => [subject, stateOf(state)]))
  }
}

/** Names of the hour are not stored: they are in the query log. */
const textOf = ({ hours, current: { start, count } }: SurgeState): string => JSON.stringify({ hours, start, count })

function stateOf(text: string): SurgeState {
  const { hours, start, count } = JSON.parse(text) as { hours: [number, number][]; start: number; count: number }
  return { hours, current: { start, count, names: new Map() } }
}

function tunnelEvidence(domain: string, finding: TunnelFinding): Evidence {
  const types = Object.entries(finding.types).sort(([, a], [, b]) => b - a)
  return {
    kind: 'tunnelling',
    domain,
    from: new Date(finding.from).toISOString(),
    to: new Date(finding.to).toISOString(),
    queries: finding.queries,
    names: finding.names,
    mean_length: Math.round(finding.meanLength * 10) / 10,
    max_label: finding.maxLabel,
    entropy: Math.round(finding.entropy * 100) / 100,
    nxdomain_share: Math.round(finding.missingShare * 1000) / 1000,
    bytes_per_minute: finding.bytesPerMinute,
    types: types.slice(0, 5).map(([type, count]) => ({ type: typeName(Number(type)), count })),
    examples: [...finding.examples],
  }
}

function surgeEvidence(list: ListRow, finding: SurgeFinding, at: number): Evidence {
  const updated = list.last_updated
  return {
    kind: 'list_surge',
    hour: new Date(finding.hour).toISOString(),
    count: finding.count,
    usual: Math.round(finding.usual * 10) / 10,
    days: finding.days,
    names: finding.names.map(({ name, count }) => ({ domain: name, count })),
    list_updated_at: updated === null ? null : new Date(updated).toISOString(),
    list_entries: list.entries,
    after_update: updated !== null && at - updated < updateMs,
  }
}
