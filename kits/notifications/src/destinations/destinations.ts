import { randomUUID } from 'node:crypto'
import type { Sealer } from '@hearth/credentials'
import { toIsoString, type Clock } from '@hearth/runtime'
import { NotificationError } from '../notification-error.ts'
import type { NotificationRules } from '../rules/schema.ts'
import type { Db, DestinationRow } from '../tables.ts'
import type { NotificationDestination, NotificationDestinationValues } from './schema.ts'
import {
  countDestinations,
  deleteDestinationRow,
  findDestinationRow,
  insertDestinationRow,
  listDestinationRows,
  updateDestinationRow,
} from './store.ts'
import { describeTarget, targetToStore, type Target } from './target.ts'

export interface DestinationsDependencies {
  readonly db: Db
  readonly clock: Clock
  readonly sealer: Sealer
}

const maxDestinations = 50

/** A destination without the number of messages that wait for it. */
export type StoredDestination = Omit<NotificationDestination, 'waiting'>

/** The destinations of notifications. Their addresses and secrets are sealed. */
export class Destinations {
  readonly #dependencies: DestinationsDependencies

  constructor(dependencies: DestinationsDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns all destinations without their secrets, oldest first. */
  async list(): Promise<StoredDestination[]> {
    return (await listDestinationRows(this.#dependencies.db)).map((row) => this.#describe(row))
  }

  async create(input: NotificationDestinationValues): Promise<StoredDestination> {
    const { db, clock } = this.#dependencies
    if ((await countDestinations(db)) >= maxDestinations) throw new NotificationError({ kind: 'too-many-destinations' })
    const id = randomUUID()
    const row: DestinationRow = {
      id,
      ...this.#columnsOf(id, input, targetToStore(input.target, undefined)),
      created_at: clock.now(),
      last_attempt_at: null,
      last_error: null,
    }
    await insertDestinationRow(db, row)
    return this.#describe(row)
  }

  /** Replaces all values of a destination. */
  async change(id: string, input: NotificationDestinationValues): Promise<StoredDestination> {
    const { db } = this.#dependencies
    const row = await this.#required(id)
    const columns = this.#columnsOf(id, input, targetToStore(input.target, this.targetOf(row)))
    await updateDestinationRow(db, id, columns)
    return this.#describe({ ...row, ...columns })
  }

  /** Deletes a destination with its messages. */
  async remove(id: string): Promise<void> {
    if (!(await deleteDestinationRow(this.#dependencies.db, id)))
      throw new NotificationError({ kind: 'not-found', what: 'destination' })
  }

  /** Returns the address and the secrets of a destination. */
  async target(id: string): Promise<Target> {
    return this.targetOf(await this.#required(id))
  }

  /** Remembers how the last attempt ended; `error` is null when it succeeded. */
  async recordAttempt(id: string, error: string | null): Promise<void> {
    const { db, clock } = this.#dependencies
    await updateDestinationRow(db, id, { last_attempt_at: clock.now(), last_error: error })
  }

  /** Opens the sealed target of a row. */
  targetOf({ id, target }: Pick<DestinationRow, 'id' | 'target'>): Target {
    return JSON.parse(this.#dependencies.sealer.open(target, sealedAt(id))) as Target
  }

  #columnsOf(id: string, { name, is_enabled: isEnabled, rules }: NotificationDestinationValues, target: Target) {
    return {
      name,
      kind: target.kind,
      enabled: Number(isEnabled),
      target: this.#dependencies.sealer.seal(JSON.stringify(target), sealedAt(id)),
      rules: JSON.stringify(rules),
    }
  }

  #describe(row: DestinationRow): StoredDestination {
    return {
      id: row.id,
      name: row.name,
      is_enabled: row.enabled === 1,
      target: describeTarget(this.targetOf(row)),
      rules: readRules(row),
      last_attempt_at: toIsoString(row.last_attempt_at),
      last_error: row.last_error,
    }
  }

  async #required(id: string): Promise<DestinationRow> {
    const row = await findDestinationRow(this.#dependencies.db, id)
    if (row === undefined) throw new NotificationError({ kind: 'not-found', what: 'destination' })
    return row
  }
}

/** The place that a destination's address and secrets are sealed for. */
export const sealedAt = (id: string): string => `notification_destinations.target:${id}`

/** Reads the rules of a row. */
export function readRules({ rules }: Pick<DestinationRow, 'rules'>): NotificationRules {
  return JSON.parse(rules) as NotificationRules
}
