import { ownerOf } from '../../filtering/records/record-set.ts'
import { isFault, readRecord } from '../../filtering/records/record-value.ts'
import { DnsRecordCreate } from '../../filtering/records/schema.ts'
import { allRecordRows } from '../../filtering/records/store.ts'
import type { Held, Section, Wanted } from '../section.ts'

type DnsRecordEntry = DnsRecordCreate

/** Local records. All records of a name and type go together: those of the file stand in the place of those that are there. */
export const dnsRecordsSection: Section<DnsRecordEntry> = {
  name: 'dns_records',
  noun: 'record',
  form: 'list',
  schema: DnsRecordCreate.transform(canonical),
  defaults: { ttl: 300, reverse: true },
  prunes: 'first',
  identify,
  replaces: ({ value }, wanted) => namesOf(wanted).has(ofName(value)),
  async read({ parts }) {
    const rows = await allRecordRows(parts.db)
    const held = rows.map((row): Held<DnsRecordEntry> => {
      const { type, ttl, domain, below_only: below } = row
      const name = ownerOf({ domain, belowOnly: below === 1 })
      const value = { name, type, value: row.value, ttl, reverse: row.reverse === 1 }
      return { id: row.id, key: identify(value).key, name: identify(value).name, value }
    })
    return held.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  },
  async apply({ parts, by }, { create, change, replaced }) {
    const wanted = [...change.map((each) => each.wanted), ...create]
    const remove = [...replaced, ...change.map(({ held }) => held)].map(({ id }) => id)
    if (wanted.length === 0 && remove.length === 0) return []
    const outcomes = await parts.dns.records.changeMany({ remove, create: wanted.map(({ value }) => value) }, by)
    return wanted.flatMap(({ path }, index) => {
      const fault = outcomes[index]
      return fault === undefined ? [] : [{ path: [...path, fault.field], message: fault.message }]
    })
  },
  async remove({ parts, by }, extra) {
    const remove = extra.map(({ id }) => id)
    if (remove.length > 0) await parts.dns.records.changeMany({ remove, create: [] }, by)
  },
}

/** The record in the form in which it is stored; as it is when it cannot be one. */
function canonical(record: DnsRecordEntry): DnsRecordEntry {
  const read = readRecord(record)
  return isFault(read) ? record : { ...record, name: ownerOf(read), value: read.value }
}

function identify({ name, type, value }: DnsRecordEntry): { key: string; name: string } {
  return { key: JSON.stringify([name, type, value]), name: `${name} ${type} ${value}` }
}

const ofName = ({ name, type }: DnsRecordEntry): string => JSON.stringify([name, type])

const known = new WeakMap<readonly Wanted<DnsRecordEntry>[], ReadonlySet<string>>()

/** Names and types that the file has records of, found once for all that are there. */
function namesOf(wanted: readonly Wanted<DnsRecordEntry>[]): ReadonlySet<string> {
  const names = known.get(wanted) ?? new Set(wanted.map(({ value }) => ofName(value)))
  known.set(wanted, names)
  return names
}
