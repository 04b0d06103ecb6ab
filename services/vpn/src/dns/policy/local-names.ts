import type { Policy } from './policy.ts'
import type { RecordTable } from './record-table.ts'
import type { Trace } from './trace.ts'
import { peerNameSource, recordSource, safeSearchSource } from './verdict.ts'

/** What is known here of a name: the operator's records, those of peers, and what safe search makes of it. Nothing in here allocates. */
export class LocalNames {
  /** Position of the name's records in the table; 0 for none. */
  records = 0
  /** The table that they stand in. */
  table: RecordTable | undefined
  /** `recordSource` and the like. */
  source = recordSource
  readonly #lanes1: Int32Array
  readonly #lanes2: Int32Array

  /** The lanes are those of the name that is asked about, and of its parents. */
  constructor(lanes1: Int32Array, lanes2: Int32Array) {
    this.#lanes1 = lanes1
    this.#lanes2 = lanes2
  }

  /** The operator's records come before names of peers. `zone` is the name's, `client` the client's place; 0 for none. */
  find({ records, peerNames, clients }: Policy, labels: number, zone: number, client: number): void {
    this.source = recordSource
    this.table = records
    this.records = records.find(this.#lanes1, this.#lanes2, labels, clients.gatewayOf(client))
    // A name without records, which only says that nothing is known of it here, leaves that to the servers of its zone.
    if (zone !== 0 && records.isEmpty(this.records)) this.records = 0
    if (this.records !== 0 || peerNames.count === 0) return
    this.source = peerNameSource
    this.table = peerNames
    this.records = peerNames.find(this.#lanes1, this.#lanes2, labels, 0)
    if (zone !== 0 && peerNames.isEmpty(this.records)) this.records = 0
  }

  /** The name is an alias of the one under which the filter of the search engine is on; `safety` are bits of `Safety`. */
  findSafe({ records }: Policy, labels: number, safety: number): void {
    this.source = safeSearchSource
    this.table = records
    this.records = labels === 0 ? 0 : records.findSafe(safety, this.#lanes1[0]!, this.#lanes2[0]!)
  }

  trace(trace: Trace): void {
    if (this.records !== 0) trace.records(this.source === safeSearchSource ? 0 : (this.table?.label ?? 0), this.source)
  }
}
