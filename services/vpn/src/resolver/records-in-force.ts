import type { NameSeeds } from '../dns/policy/name-hash.ts'
import { buildRecordTable } from '../dns/policy/lay-records.ts'
import type { ResolverRecord } from '../dns/resolver-files.ts'

/** Local records and the table they are looked up in, which is made again only when they or the lists' seeds change. */
export class RecordsInForce {
  readonly #records: readonly ResolverRecord[]
  #made: { readonly seeds: NameSeeds; readonly memory: SharedArrayBuffer } | undefined

  constructor(records: readonly ResolverRecord[]) {
    this.#records = records
  }

  /** The table for names hashed with these seeds. */
  table(seeds: NameSeeds): SharedArrayBuffer {
    if (this.#made?.seeds.first !== seeds.first || this.#made.seeds.second !== seeds.second)
      this.#made = { seeds, memory: buildRecordTable(this.#records, seeds) }
    return this.#made.memory
  }
}
