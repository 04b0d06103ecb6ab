import { randomUUIDv7 } from 'node:crypto'
import type { Reports } from '@hearth/notifications'
import { type Clock, createKeyedQueue, type Log, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { invalidField, notFound } from '../problems.ts'
import type { Publish } from '../service-event.ts'
import type { Tables } from '../tables.ts'
import type { Finding } from './finding.ts'
import { adviceOf, titleOf } from './hint-texts.ts'
import type { Evidence, Hint, HintAnswer, HintException, HintKind, HintList, HintQuery } from './schema.ts'
import * as store from './store.ts'
import type { HintExceptionRow, HintRow } from './tables.ts'

const day = 86_400_000
/** Hints are deleted so long after they were found last, milliseconds. */
const keptMs = 90 * day
const maxOpen = 500
const maxExceptions = 1000
/** After a hint is done, the same finding makes no new one for so long, milliseconds. */
const settledMs = 3_600_000

/** Settings that switch the kinds of hints on and off. */
export interface HintSettings {
  readonly hints_two_places: boolean
  readonly hints_new_country: boolean
  readonly hints_tunnelling: boolean
  readonly hints_list_surge: boolean
}

export interface HintsDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly log: Log
  readonly reports: Pick<Reports, 'notify'>
  readonly publish: Publish
  readonly settings: () => HintSettings
  /** Reason why countries are not known; null when they are. */
  readonly countriesUnknown: () => string | null
}

/** Class of the notification; a key used from two places is told of by its report, which also says when that is over. */
const classes = {
  new_country: 'peer.new-country',
  tunnelling: 'dns.tunnelling',
  list_surge: 'list.surge',
} as const satisfies Partial<Record<HintKind, string>>

/** Hints at something unusual: what detectors found, and what people said to it. */
export class Hints {
  readonly #dependencies: HintsDependencies
  readonly #queue = createKeyedQueue(1000)
  #exceptions: readonly HintExceptionRow[]

  private constructor(dependencies: HintsDependencies, exceptions: readonly HintExceptionRow[]) {
    this.#dependencies = dependencies
    this.#exceptions = exceptions
  }

  static async open(dependencies: HintsDependencies): Promise<Hints> {
    return new Hints(dependencies, await store.allExceptionRows(dependencies.db))
  }

  /** True if findings of a kind are looked for. */
  isOn(kind: HintKind): boolean {
    return this.#dependencies.settings()[`hints_${kind}`]
  }

  /** True if somebody said that a finding is expected. */
  isExpected(kind: HintKind, subject: string, about: string): boolean {
    return this.#exceptions.some(
      (each) =>
        each.kind === kind &&
        (each.subject === '' || each.subject === subject) &&
        (each.topic === '' || each.topic === about),
    )
  }

  /** Makes a hint of a finding, or continues the open one about the same. Failures are logged. */
  async record(finding: Finding): Promise<void> {
    const { kind, subject, about } = finding
    if (!this.isOn(kind) || this.isExpected(kind, subject.id, about)) return
    try {
      await this.#queue.run('hints', () => this.#record(finding))
    } catch (error) {
      this.#dependencies.log.error({ err: error, kind }, 'a hint was not recorded')
    }
  }

  async #record({ kind, subject, topic, at, evidence }: Finding): Promise<void> {
    const { db, reports, publish } = this.#dependencies
    const same = await store.findSameHint(db, { kind, subject: subject.id, topic })
    if (same !== undefined && same.status !== 'open' && at - (same.answered_at ?? 0) < settledMs) return
    if (same?.status === 'open') {
      const next = evidence(readEvidence(same))
      const values = { subject_name: subject.name, evidence: JSON.stringify(next), count: same.count + 1, last_at: at }
      await store.updateHintRow(db, same.id, values)
      publish({ type: 'changed', collection: 'hints', id: same.id })
      return
    }
    const first = evidence(undefined)
    const id = randomUUIDv7()
    const row = { id, kind, subject: subject.id, subject_name: subject.name, topic, status: 'open' } as const
    const unanswered = { answered_at: null, answered_by: null }
    const times = { count: 1, first_at: at, last_at: at }
    await store.insertHintRow(db, { ...row, ...times, ...unanswered, evidence: JSON.stringify(first) })
    await store.deleteOpenHintsBeyond(db, maxOpen)
    publish({ type: 'changed', collection: 'hints', id })
    if (first.kind === 'two_places') return
    reports.notify({
      class: classes[first.kind],
      title: titleOf(subject.name, first),
      text: adviceOf(first),
      path: '/hints',
    })
  }

  /** Reads a part of the hints, newest first. */
  async list({ limit, cursor, peer, status, kind }: HintQuery): Promise<HintList> {
    const { db, countriesUnknown } = this.#dependencies
    const after = cursor === undefined ? undefined : positionOf(cursor)
    const rows = await store.listHintRows(db, { status, kind, subject: peer }, { limit: limit + 1, after })
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return {
      hints: await this.#view(shown),
      next_cursor: last === undefined ? null : `${last.last_at}.${last.id}`,
      open: await store.countOpenHints(db),
      countries_unknown: countriesUnknown(),
    }
  }

  async read(id: string): Promise<Hint> {
    const row = await store.findHintRow(this.#dependencies.db, id)
    const [hint] = row === undefined ? [] : await this.#view([row])
    if (hint === undefined) throw notFound(`hint ${id}`)
    return hint
  }

  /** Takes an answer to a hint; one that is expected answers all open ones that it covers. */
  async answer(id: string, { answer, scope }: HintAnswer, username: string): Promise<Hint> {
    await this.#queue.run('hints', async () => {
      const { db, clock } = this.#dependencies
      const row = await store.findHintRow(db, id)
      if (row === undefined) throw notFound(`hint ${id}`)
      const answered = { status: answer, answered_at: clock.now(), answered_by: username } as const
      if (answer === 'expected') await this.#expect(row, scope, username)
      await store.updateHintRow(db, id, answered)
      if (answer === 'done') return
      const open = await store.listHintRows(
        db,
        { status: 'open', kind: row.kind },
        { limit: maxOpen, after: undefined },
      )
      for (const each of open) {
        const topics = topicsOf(readEvidence(each))
        const isCovered = (topics.length === 0 ? [''] : topics).every((topic) =>
          this.isExpected(each.kind, each.subject, topic),
        )
        if (isCovered) await store.updateHintRow(db, each.id, answered)
      }
    })
    this.#dependencies.publish({ type: 'changed', collection: 'hints', id })
    return this.read(id)
  }

  async #expect(row: HintRow, scope: HintAnswer['scope'], username: string): Promise<void> {
    const { db, clock } = this.#dependencies
    const topics = scope === 'topic' ? topicsOf(readEvidence(row)) : ['']
    if (topics.length === 0) throw invalidField('scope', 'a hint of this kind is about no country and no domain')
    if (this.#exceptions.length + topics.length > maxExceptions)
      throw invalidField('answer', `there are ${maxExceptions} exceptions already; delete some`)
    const { kind } = row
    const whose =
      scope === 'topic' ? { subject: '', subject_name: '' } : { subject: row.subject, subject_name: row.subject_name }
    for (const topic of topics) {
      const exception = { kind, topic, ...whose, created_at: clock.now(), created_by: username }
      await store.insertExceptionRow(db, { id: randomUUIDv7(), ...exception })
    }
    this.#exceptions = await store.allExceptionRows(db)
  }

  /** Reads what is expected, newest first. */
  exceptions(): HintException[] {
    return this.#exceptions.map(({ subject, subject_name: name, topic, created_at: at, ...row }) => ({
      ...row,
      subject: subject === '' ? null : subject,
      subject_name: subject === '' ? null : name,
      topic: topic === '' ? null : topic,
      created_at: new Date(at).toISOString(),
    }))
  }

  /** Findings of an exception make hints again. */
  async deleteException(id: string): Promise<HintException> {
    const { db, publish } = this.#dependencies
    const exception = this.exceptions().find((each) => each.id === id)
    if (exception === undefined) throw notFound(`exception ${id}`)
    await store.deleteExceptionRow(db, id)
    this.#exceptions = await store.allExceptionRows(db)
    publish({ type: 'changed', collection: 'hints', id: null })
    return exception
  }

  /** Deletes hints of queries that were deleted from the query log: before a time, by one peer or by all (null). */
  async forgetQueries(before: number, peer: string | null): Promise<void> {
    const { db, publish } = this.#dependencies
    await store.deleteHintsOfKind(db, 'tunnelling', { before, subject: peer })
    // The names of a list's hint are of many peers.
    await store.deleteHintsOfKind(db, 'list_surge', { before, subject: null })
    publish({ type: 'changed', collection: 'hints', id: null })
  }

  /** Deletes old hints, and what is known of peers and lists that are gone. */
  async cleanUp(): Promise<void> {
    const { db, clock } = this.#dependencies
    await store.deleteHintsBefore(db, clock.now() - keptMs)
    await store.deleteOrphans(db)
    this.#exceptions = await store.allExceptionRows(db)
  }

  async #view(rows: readonly HintRow[]): Promise<Hint[]> {
    const existing = await store.existingSubjects(this.#dependencies.db, [
      ...new Set(rows.map(({ subject }) => subject)),
    ])
    return rows.map((row) => viewOf(row, existing.has(row.subject)))
  }
}

function viewOf(row: HintRow, exists: boolean): Hint {
  const { id, kind, subject, subject_name: name, topic, status, count } = row
  const evidence = readEvidence(row)
  return {
    id,
    kind,
    title: titleOf(name, evidence),
    subject: { type: kind === 'list_surge' ? 'list' : 'peer', id: subject, name, exists },
    topic: topic === '' ? null : topic,
    status,
    count,
    first_at: new Date(row.first_at).toISOString(),
    last_at: new Date(row.last_at).toISOString(),
    answered_at: toIsoString(row.answered_at),
    answered_by: row.answered_by,
    evidence,
  }
}

const readEvidence = (row: HintRow): Evidence => JSON.parse(row.evidence) as Evidence

/** Countries or domains that a hint is about. */
function topicsOf(evidence: Evidence): string[] {
  if (evidence.kind === 'tunnelling') return [evidence.domain]
  if (evidence.kind !== 'new_country') return []
  return [...new Set(evidence.new.flatMap(({ country_code: code }) => (code === null ? [] : [code])))]
}

function positionOf(cursor: string): store.HintPosition {
  const dot = cursor.indexOf('.')
  return { lastAt: Number(cursor.slice(0, dot)), id: cursor.slice(dot + 1) }
}
