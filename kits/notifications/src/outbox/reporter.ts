import { isDiskFull } from '@hearth/database'
import { createKeyedQueue, type Log, type Timers } from '@hearth/runtime'
import type { Condition, ConditionChange, EventClass, EventText, Message, NewNotification } from '../message.ts'
import type { Db, StoredDatabase } from '../tables.ts'
import { insertCondition, listSubjects, takeCondition } from './condition-store.ts'
import type { Outbox } from './outbox.ts'

/** Subjects of earlier conditions that are not reported any more. */
export interface OtherSubjects {
  /** Returns the message that the condition ended; undefined when the subject itself is gone. */
  ended(subject: string): EventText | undefined
  /** Returns true when nothing is known at the moment, so that the condition stays. */
  isKept?(subject: string): boolean
}

/** Takes what features report. No call waits or throws: what cannot be stored waits for the database, an hour at most. */
export interface Reports {
  /** Reports something that happened once. */
  notify(event: NewNotification): void
  /** Reports that a condition holds; a message is sent when it did not before. */
  begin(condition: ConditionChange): void
  /** Reports that a condition does not hold; a message is sent when it did before. */
  end(condition: ConditionChange): void
  /**
   * Reports every condition of a class that holds now: a message is sent for each that is new, and for each that is not among
   * them any more.
   */
  replaceAll(name: string, conditions: readonly Condition[], others: OtherSubjects): void
}

export interface ReporterDependencies {
  readonly database: StoredDatabase
  readonly outbox: Outbox
  readonly classes: readonly EventClass[]
  readonly publicUrl: string | undefined
  readonly timers: Timers
  readonly log: Log
  /** Called when something was stored. */
  readonly onStored: () => void
}

/** Reports that may wait to be stored. */
const maxQueued = 1000
/** Time before what could not be stored is tried again, milliseconds. */
const retryMs = 5000
/** Attempts to store a report while the database is away: about an hour. */
const maxAttempts = 720

/** Turns reports into messages, in the order in which they come. */
export class Reporter implements Reports {
  readonly #dependencies: ReporterDependencies
  readonly #queue = createKeyedQueue(maxQueued)
  readonly #closing = new AbortController()

  constructor(dependencies: ReporterDependencies) {
    this.#dependencies = dependencies
  }

  notify(event: NewNotification): void {
    this.#store(event, (trx) => this.#add(trx, event, 'happened'))
  }

  begin(condition: ConditionChange): void {
    this.#store(condition, (trx) => this.#begin(trx, condition))
  }

  end(condition: ConditionChange): void {
    this.#store(condition, (trx) => this.#end(trx, condition, condition))
  }

  replaceAll(name: string, conditions: readonly Condition[], others: OtherSubjects): void {
    this.#run(name, async (db) => {
      const known = new Set(await listSubjects(db, name))
      const begun = conditions.filter(({ subject }) => !known.has(subject))
      for (const { subject } of conditions) known.delete(subject)
      const over = [...known].filter((subject) => others.isKept?.(subject) !== true)
      // Checks report every few seconds, and most of the time nothing has changed.
      if (begun.length === 0 && over.length === 0) return false
      await db.transaction().execute(async (trx) => {
        for (const condition of begun) await this.#begin(trx, { class: name, ...condition })
        for (const subject of over) await this.#end(trx, { class: name, subject }, others.ended(subject))
      })
      return true
    })
  }

  /** Resolves when every report is stored. */
  settled(): Promise<void> {
    return this.#queue.idle()
  }

  /** Stores what waits, and gives up what the database does not take now. */
  close(): Promise<void> {
    this.#closing.abort()
    return this.#queue.idle()
  }

  #store({ class: name }: Pick<NewNotification, 'class'>, work: (trx: Db) => Promise<void>): void {
    this.#run(name, async (db) => {
      await db.transaction().execute(work)
      return true
    })
  }

  /** Runs work that resolves to true when it stored something. */
  #run(name: string, work: (db: Db) => Promise<boolean>): void {
    const { log, onStored } = this.#dependencies
    this.#queue
      .run('reports', () => this.#persist(name, work))
      .then(
        (hasStored) => hasStored && onStored(),
        (error: unknown) => log.warn({ err: error, class: name }, 'a notification could not be stored'),
      )
  }

  async #persist(name: string, work: (db: Db) => Promise<boolean>): Promise<boolean> {
    const { database, timers, log } = this.#dependencies
    for (let attempt = 1; ; attempt += 1)
      try {
        return await work(database.query)
      } catch (error) {
        if (attempt === maxAttempts || this.#closing.signal.aborted) throw error
        // A database that was away is tried again; one that is there and refuses a report twice goes on doing so.
        if (attempt > 1 && !isDiskFull(error) && (await this.#answers(name))) throw error
        if (attempt === 1)
          log.warn({ err: error, class: name }, 'a notification could not be stored; it is tried again')
        await timers.delay(retryMs, this.#closing.signal).catch(() => undefined)
      }
  }

  #answers(name: string): Promise<boolean> {
    return listSubjects(this.#dependencies.database.query, name).then(
      () => true,
      () => false,
    )
  }

  async #begin(trx: Db, condition: ConditionChange): Promise<void> {
    const { class: name, subject } = condition
    const isNew = await insertCondition(trx, { class: name, subject, began_at: this.#dependencies.timers.now() })
    if (isNew) await this.#add(trx, condition, 'began')
  }

  async #end(trx: Db, key: Pick<ConditionChange, 'class' | 'subject'>, event: EventText | undefined): Promise<void> {
    const ended = await takeCondition(trx, key)
    if (ended === undefined || event === undefined) return
    const lasted = `It lasted ${durationText(this.#dependencies.timers.now() - ended.began_at)}.`
    const text = event.text === '' ? lasted : `${event.text} ${lasted}`
    await this.#add(trx, { ...event, class: key.class, text }, 'ended')
  }

  #add(trx: Db, event: NewNotification, state: Message['state']): Promise<void> {
    const { outbox, classes, publicUrl, timers } = this.#dependencies
    const { class: name, title, text, path } = event
    const { severity = 'warning', isOnRequest = false } = classes.find(({ id }) => id === name) ?? {}
    const link = publicUrl === undefined || path === undefined ? null : new URL(path, publicUrl).href
    const message = { class: name, severity, state, title, text, link, at: timers.now() }
    return outbox.add(trx, message, { key: event.key, isOnRequest })
  }
}

/** A time span in its largest unit of at least two, such as `90 minutes`. */
function durationText(ms: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
  ] as const
  const [size, name] = units.find(([unit]) => ms >= 2 * unit) ?? [1000, 'seconds']
  const count = Math.max(1, Math.round(ms / size))
  return count === 1 ? '1 second' : `${count} ${name}`
}
