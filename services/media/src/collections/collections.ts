import { randomUUID } from 'node:crypto'
import { acquireLock, type Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { jobTimestamp } from '../jobs/job-view.ts'
import { findJobs } from '../jobs/store.ts'
import { conflict, notFound } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { Collection, CollectionChange } from './schema.ts'
import * as store from './store.ts'

export interface CollectionDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
}

/** Maximum number of collections, and of jobs in one. */
const [maxCollections, maxJobs] = [500, 10_000]
/** Number of the lock under which collections change on PostgreSQL. */
const collectionLock = 8_103_013

/** Named collections of jobs, each in the order of adding. Throws problems of the API. */
export class Collections {
  readonly #dependencies: CollectionDependencies

  constructor(dependencies: CollectionDependencies) {
    this.#dependencies = dependencies
  }

  /** By name. */
  async list(): Promise<Collection[]> {
    return (await store.listCollections(this.#dependencies.database.query)).map(viewOf)
  }

  async create(name: string): Promise<Collection> {
    const row = { id: randomUUID(), name, created_at: this.#dependencies.clock.now() }
    await this.#change(async (trx) => {
      if ((await store.countCollections(trx)) >= maxCollections)
        throw conflict(`There are ${maxCollections} collections; delete one first`)
      await store.insertCollection(trx, row)
    })
    return viewOf({ ...row, count: 0 })
  }

  async rename(id: string, name: string): Promise<Collection> {
    if (!(await store.renameCollection(this.#dependencies.database.query, id, name))) throw notFound('collection')
    return this.#find(id)
  }

  /** Deletes a collection; its jobs stay. */
  async delete(id: string): Promise<void> {
    if (!(await store.deleteCollection(this.#dependencies.database.query, id))) throw notFound('collection')
  }

  /** Takes jobs out and puts jobs at the end; ids of no job are left out. */
  async changeJobs(id: string, { add, remove }: CollectionChange): Promise<Collection> {
    await this.#change(async (trx) => {
      if (remove.length > 0) await store.removeJobs(trx, id, remove)
      const present = await store.readCollection(trx, id)
      if (present === undefined) throw notFound('collection')
      const ids = (await findJobs(trx, add)).map((job) => job.id)
      if (present.count + ids.length > maxJobs) throw conflict(`A collection holds at most ${maxJobs} downloads`)
      if (ids.length > 0) await store.addJobs(trx, id, { ids, after: present.last })
    })
    return this.#find(id)
  }

  async #find(id: string): Promise<Collection> {
    const found = await store.findCollection(this.#dependencies.database.query, id)
    if (found === undefined) throw notFound('collection')
    return viewOf(found)
  }

  async #change(work: (trx: Kysely<Tables>) => Promise<void>): Promise<void> {
    const { database } = this.#dependencies
    await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, collectionLock)
      await work(trx)
    })
  }
}

const viewOf = ({ id, name, count, created_at }: store.CountedCollection): Collection => ({
  id,
  name,
  item_count: count,
  created_at: jobTimestamp(created_at),
})
