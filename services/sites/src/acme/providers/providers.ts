import { randomUUID } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { conflict, invalidField } from '../../problems.ts'
import type { DnsProviderChange, DnsProviderCreate, DnsProviderView } from '../schema.ts'
import * as store from '../store.ts'
import { noteInHistory } from '../orders/change-order.ts'
import type { AcmeTables, ChallengeRecordRow, DnsProviderRow } from '../tables.ts'
import { findKind } from './kinds.ts'
import type { DnsProvider, ProviderContext, ProviderKind } from './provider.ts'

/** Most providers of an installation. */
const maxProviders = 50

type Values = Readonly<Record<string, string>>

export interface ProvidersDependencies {
  readonly db: Kysely<AcmeTables>
  readonly sealer: Sealer
  readonly clock: Clock
  readonly context: ProviderContext
  /** Called after a provider was changed, when steps that failed because of it are due. */
  readonly onChanged: () => void
}

/** The DNS providers that people set up. Secrets go in and never come out. */
export class Providers {
  readonly #dependencies: ProvidersDependencies

  constructor(dependencies: ProvidersDependencies) {
    this.#dependencies = dependencies
  }

  async list(): Promise<DnsProviderView[]> {
    const { db } = this.#dependencies
    const records = Map.groupBy(await store.listRecords(db), ({ provider_id: id }) => id)
    return (await store.listProviders(db)).map((row) => this.#view(row, records.get(row.id)))
  }

  async find(id: string): Promise<DnsProviderView | undefined> {
    const { db } = this.#dependencies
    const row = await store.findProvider(db, id)
    return row && this.#view(row, await store.recordsAt(db, id))
  }

  /** Opens a provider; undefined when there is none. */
  async open(id: string): Promise<DnsProvider | undefined> {
    const row = await store.findProvider(this.#dependencies.db, id)
    return row && findKind(row.kind)?.open(this.#settings(row), this.#dependencies.context)
  }

  /** Throws a problem that names a wrong setting. */
  async add({ name, kind: kindName, settings }: DnsProviderCreate): Promise<DnsProviderView> {
    const { db, sealer, clock } = this.#dependencies
    const kind = findKind(kindName)
    if (kind === undefined) throw invalidField('kind', `"${kindName}" is not known`)
    this.#check(kind, settings)
    if ((await store.listProviders(db)).length >= maxProviders)
      throw conflict(`There are ${maxProviders} providers already`)
    const id = randomUUID()
    const now = clock.now()
    const sealed = sealer.seal(JSON.stringify(settings), sealedAt(id))
    const row = { id, name, kind: kindName, settings_sealed: sealed, created_at: now, changed_at: now }
    await store.insertProvider(db, row)
    return this.#view(row)
  }

  /** Changes a provider; secrets that are left out or empty stay. Undefined when there is none. */
  async change(id: string, { name, settings = {} }: DnsProviderChange): Promise<DnsProviderView | undefined> {
    const { db, sealer, clock, onChanged } = this.#dependencies
    const row = await store.findProvider(db, id)
    const kind = row && findKind(row.kind)
    if (row === undefined || kind === undefined) return undefined
    const before = this.#settings(row)
    const isElsewhere = kind.fields.some(
      (field) => field.isDestination === true && (settings[field.name] ?? before[field.name]) !== before[field.name],
    )
    // Otherwise a stored secret could be sent to somebody who never had it.
    const secrets = (isElsewhere ? [] : kind.fields).filter(
      (field) => field.isSecret === true && (settings[field.name] ?? '') === '',
    )
    const kept = secrets.flatMap((field) =>
      before[field.name] === undefined ? [] : [[field.name, before[field.name]]],
    )
    const after = {
      ...(Object.keys(settings).length === 0 ? before : settings),
      ...(Object.fromEntries(kept) as Values),
    }
    this.#check(kind, after)
    const settings_sealed = sealer.seal(JSON.stringify(after), sealedAt(id))
    const values = { id, name: name ?? row.name, settings_sealed, changed_at: clock.now() }
    if (!(await store.changeProvider(db, values))) return undefined
    await store.retryOrdersOf(db, id, clock.now())
    onChanged()
    return this.#view({ ...row, ...values }, await store.recordsAt(db, id))
  }

  /**
   * Deletes a provider; false when there is none. Throws a conflict while it is needed, and unless its records may be left, while
   * some are to be removed there.
   */
  async remove(id: string, mayLeaveRecords: boolean): Promise<boolean> {
    const { db, clock } = this.#dependencies
    const row = await store.findProvider(db, id)
    if (row === undefined) return false
    const [orders, records] = [await store.ordersOfProvider(db, id), await store.recordsAt(db, id)]
    if (orders.length > 0)
      throw conflict(`Certificates are ordered through it: ${orders.slice(0, 5).join(', ')}`, 'provider_in_use')
    if (records.length > 0 && !mayLeaveRecords) {
      const names = records.slice(0, 5).map(({ name, zone }) => `${name} in the zone ${zone}`)
      throw conflict(
        `TXT records that were made through it are still to be removed: ${names.join(', ')}`,
        'records_left',
      )
    }
    await store.deleteProvider(db, id)
    for (const { order_id: order, name, zone } of records) {
      const text = `The TXT record ${name} in the zone ${zone} is left at ${row.name}, which was deleted here`
      await noteInHistory({ db, timers: clock }, order, text)
    }
    return true
  }

  #check(kind: ProviderKind, settings: Values): void {
    try {
      kind.open(settings, this.#dependencies.context)
    } catch (error) {
      if (!(error instanceof z.ZodError)) throw error
      const [issue] = error.issues
      const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
      const field = String(unknown ?? issue?.path[0] ?? '')
      const isMissing = unknown === undefined && (settings[field] ?? '') === ''
      const message =
        unknown === undefined ? (isMissing ? 'is required' : (issue?.message ?? 'is not valid')) : 'is not known'
      throw invalidField(`settings.${field}`, message)
    }
  }

  #settings(row: DnsProviderRow): Values {
    return JSON.parse(this.#dependencies.sealer.open(row.settings_sealed, sealedAt(row.id))) as Values
  }

  #view(row: DnsProviderRow, records: readonly ChallengeRecordRow[] = []): DnsProviderView {
    const kind = findKind(row.kind)
    const settings = this.#settings(row)
    const shown = (kind?.fields ?? []).filter((field) => field.isSecret !== true)
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      label: kind?.label ?? row.kind,
      settings: Object.fromEntries(shown.map((field) => [field.name, settings[field.name] ?? ''])),
      records: records.map(({ name, zone }) => ({ name, zone })),
      created_at: new Date(row.created_at).toISOString(),
      changed_at: new Date(row.changed_at).toISOString(),
    }
  }
}

const sealedAt = (id: string): string => `dns_providers.settings_sealed:${id}`
