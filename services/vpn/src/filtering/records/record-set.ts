import { maxAliases } from '../../dns/alias-chain.ts'
import type { RecordContent, RecordFault } from './record-value.ts'
import { maxPerName, maxRecords } from './schema.ts'

/** A record in a set; the id of one that is stored. */
export interface HeldRecord extends RecordContent {
  readonly id?: string
}

/** Why a record cannot be added. */
export interface RecordConflict extends RecordFault {
  /** The very same record is there. */
  readonly isKnown: boolean
  readonly id?: string | undefined
}

/** The name of a record as people write it. */
export const ownerOf = ({ domain, belowOnly }: Pick<RecordContent, 'domain' | 'belowOnly'>): string =>
  belowOnly ? `*.${domain}` : domain

/** All local records, and what may be added to them. */
export class RecordSet {
  readonly #byOwner = new Map<string, HeldRecord[]>()
  #size = 0

  constructor(records: Iterable<HeldRecord>) {
    for (const record of records) this.add(record)
  }

  add(record: HeldRecord): void {
    const owner = ownerOf(record)
    const known = this.#byOwner.get(owner)
    if (known === undefined) this.#byOwner.set(owner, [record])
    else known.push(record)
    this.#size += 1
  }

  /** Returns why a record cannot be added; undefined when it can. */
  conflictOf(record: RecordContent): RecordConflict | undefined {
    const owner = ownerOf(record)
    const known = this.#byOwner.get(owner) ?? []
    const same = known.find(({ type, value }) => type === record.type && value === record.value)
    if (same !== undefined)
      return { field: 'value', isKnown: true, id: same.id, message: `${owner} has this ${record.type} record already` }
    if (this.#size >= maxRecords)
      return conflict('name', `There are ${maxRecords.toLocaleString('en')} records, no more fit`)
    if (known.length >= maxPerName) return conflict('name', `${owner} has ${maxPerName} records, no more fit`)
    const alias = known.find(({ type }) => type === 'CNAME')
    if (alias !== undefined)
      return conflict('name', `${owner} is an alias of ${alias.value} (CNAME) and can have no other records`, alias.id)
    if (record.type !== 'CNAME') return undefined
    if (known.length > 0)
      return conflict('type', `${owner} has other records, and an alias (CNAME) can have none beside it`, known[0]?.id)
    return this.#loopOf(record)
  }

  /** Follows the aliases from a new one. */
  #loopOf(record: RecordContent): RecordConflict | undefined {
    const start = ownerOf(record)
    let at = record.value
    for (let hops = 1; hops <= maxAliases; hops++) {
      const next = this.#answering(at, record)
      const alias = next.find(({ type }) => type === 'CNAME')
      if (alias === undefined) return undefined
      if (alias === record) return conflict('value', `${record.value} leads back to ${start}`)
      at = alias.value
    }
    return conflict('value', `${record.value} leads on over more than ${maxAliases} aliases`)
  }

  /** The records that answer for a name: its own, or those of the closest wildcard; `added` counts among them. */
  #answering(domain: string, added: RecordContent): readonly RecordContent[] {
    const owner = ownerOf(added)
    const at = (name: string) => (name === owner ? [added] : (this.#byOwner.get(name) ?? []))
    const own = at(domain)
    if (own.length > 0) return own
    for (let dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) {
      const below = at(`*${domain.slice(dot)}`)
      if (below.length > 0) return below
    }
    return []
  }
}

const conflict = (field: RecordFault['field'], message: string, id?: string): RecordConflict => ({
  field,
  message,
  isKnown: false,
  id,
})
