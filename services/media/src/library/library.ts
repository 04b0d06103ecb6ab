import { acquireLock, type Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { MediaBus } from '../events.ts'
import { jobEvent } from '../jobs/job-events.ts'
import { changedTags, maxTags, readTags } from '../jobs/job-tags.ts'
import { jobOfRow } from '../jobs/job-view.ts'
import { lockJobs } from '../jobs/lock-store.ts'
import type { Job } from '../jobs/schema.ts'
import { searchWords, wordsOfTags } from '../jobs/search-words.ts'
import { findJobs } from '../jobs/store.ts'
import { invalid } from '../problems.ts'
import type { JobRow, Tables } from '../tables.ts'
import type { LibraryPage, LibraryQuery, TagChange, TagCounts } from './schema.ts'
import * as store from './store.ts'

export interface LibraryDependencies {
  readonly database: Database<Tables>
  readonly bus: MediaBus
  readonly clock: Clock
}

/** Maximum number of words of a search. */
const maxWords = 10
/** Number of the lock under which tags change on PostgreSQL. */
const tagLock = 8_103_012

/** Finished downloads that have a file: search and tags. Throws problems of the API. */
export class Library {
  readonly #dependencies: LibraryDependencies

  constructor(dependencies: LibraryDependencies) {
    this.#dependencies = dependencies
  }

  async search({ q, ...narrowed }: LibraryQuery): Promise<LibraryPage> {
    const { database } = this.#dependencies
    const words = searchWords(q).slice(0, maxWords)
    const { jobs, total, isTotalExact } = await store.searchItems(database, { words, ...narrowed })
    return { items: jobs.map(jobOfRow), total, is_total_exact: isTotalExact }
  }

  /** Makes downloads of an older backup searchable. */
  async tidy(): Promise<void> {
    await store.fillSearchWords(this.#dependencies.database.query)
  }

  async tags(): Promise<TagCounts> {
    return store.countTags(this.#dependencies.database.query)
  }

  /** Gives tags to jobs and takes tags from them, all or none; ids of no job are left out. */
  async changeTags({ job_ids: ids, add, remove }: TagChange): Promise<Job[]> {
    const { database, bus, clock } = this.#dependencies
    const changes = await database.query.transaction().execute(async (trx) => {
      await acquireLock(database.kind, trx, tagLock)
      await lockJobs(trx, ids)
      const before = await findJobs(trx, ids)
      const changed: { readonly before: JobRow; readonly after: JobRow }[] = []
      for (const job of before) {
        const tags = changedTags(readTags(job.tags), { add, remove })
        if (tags.length > maxTags) throw invalid(`A download has at most ${maxTags} tags`)
        const after = await store.setTags(trx, job.id, { tags, words: wordsOfTags(tags) })
        if (after !== undefined) changed.push({ before: job, after })
      }
      return changed
    })
    for (const { before, after } of changes) bus.publish(jobEvent(before, after, clock.now()))
    return changes.map(({ after }) => jobOfRow(after))
  }
}
