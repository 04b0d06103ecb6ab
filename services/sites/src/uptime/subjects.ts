import { randomUUID } from 'node:crypto'
import { SettledClock, type Clock } from '@hearth/runtime'
import { dayOf, type PendingResults } from './pending-results.ts'
import type { CheckFailure } from './schema.ts'
import type { IncidentRow, SubjectRow } from './tables.ts'
import { observe, openTrack, type Track } from './track.ts'

/** One of the last checks. */
export interface Recent {
  readonly at: number
  readonly isGood: boolean
  readonly latencyMs: number | undefined
  readonly cameBack: string
}

/** What is known of a subject. */
export interface Subject {
  readonly name: string
  track: Track
  /** Time since which the state holds. */
  since: number | undefined
  checkedAt: number | undefined
  latencyMs: number | undefined
  failure: CheckFailure | undefined
  /** Checks in a row that failed. */
  failed: number
  incident: IncidentRow | undefined
  /** Begins of the last incidents, oldest first. */
  readonly begins: number[]
  /** Newest last. */
  readonly recent: Recent[]
}

/** A result of a check of a subject, or undefined while it is in maintenance. */
export interface SubjectCheck {
  readonly subject: string
  readonly outcome:
    | {
        readonly latencyMs: number | undefined
        readonly cameBack: string
        readonly failure: CheckFailure | undefined
      }
    | undefined
  readonly maxGap: number
  readonly failures: number
}

/** Recent checks that are kept of each subject. */
const maxRecent = 10
/** Begins of incidents that are remembered of each subject. */
const maxBegins = 5

/** The subjects that are checked, with what the last checks said. */
export class Subjects {
  readonly #clock: Clock
  readonly #settled: SettledClock
  readonly #pending: PendingResults
  readonly #subjects = new Map<string, Subject>()

  constructor(clock: Clock, pending: PendingResults) {
    this.#clock = clock
    this.#settled = new SettledClock(clock)
    this.#pending = pending
  }

  /** Continues with what is stored. */
  open(rows: readonly SubjectRow[], incidents: readonly IncidentRow[]): void {
    const open = new Map(incidents.map((incident) => [incident.subject, incident]))
    for (const row of rows) {
      const incident = open.get(row.subject)
      const isDown = incident !== undefined
      this.#subjects.set(row.subject, {
        ...blank(row.subject),
        track: openTrack({ isDown, creditedUntil: row.credited_until }),
        since: isDown ? incident.began_at : undefined,
        checkedAt: row.checked_at ?? undefined,
        latencyMs: row.latency_ms ?? undefined,
        failure: row.failure === null ? undefined : (JSON.parse(row.failure) as CheckFailure),
        incident,
      })
    }
  }

  get(name: string): Subject | undefined {
    return this.#subjects.get(name)
  }

  names(): string[] {
    return [...this.#subjects.keys()]
  }

  /** Forgets a subject; what is stored of it stays. */
  delete(name: string): void {
    this.#subjects.delete(name)
  }

  /** Ends an incident and forgets the state, because the subject is not checked any more. */
  pause(name: string): void {
    const subject = this.#subjects.get(name)
    if (subject === undefined || (subject.track.lastAt === undefined && subject.incident === undefined)) return
    if (subject.incident !== undefined) this.#end(subject, this.#clock.now())
    subject.track = openTrack({ isDown: false, creditedUntil: subject.track.creditedUntil })
    subject.since = undefined
    subject.failed = 0
    this.#put(subject)
  }

  /** Takes the result of a check. Returns the change of the state, if it was one. */
  observe({ subject: name, outcome, maxGap, failures }: SubjectCheck): 'down' | 'up' | undefined {
    const subject = this.#subjects.get(name) ?? blank(name)
    this.#subjects.set(name, subject)
    const at = this.#clock.now()
    const kind = outcome === undefined ? 'maintenance' : outcome.failure === undefined ? 'good' : 'failed'
    const before = subject.track
    const clock = { at, isSettled: this.#settled.isSettled(), monotonic: this.#clock.monotonic() }
    const step = observe(before, { kind, ...clock, maxGap, failures })
    subject.track = step.track
    if (step.hasForgotten === true) this.#pending.forgetAfter(name, dayOf(at))
    if (outcome !== undefined) this.#remember(subject, outcome, at)
    if (outcome !== undefined && step.isDoubted !== true) this.#count(name, outcome, at)
    if (step.began !== undefined) this.#begin(subject, step.began)
    for (const credit of step.credits) {
      this.#pending.addTime(name, credit)
      if (credit.kind === 'down' && subject.incident !== undefined) {
        subject.incident.lasted_ms += Math.round(credit.lasted)
        this.#pending.putIncident(subject.incident)
      }
    }
    if (step.ended !== undefined) this.#end(subject, step.ended)
    const { state } = step.track.availability
    if (state !== before.availability.state || step.track.isInMaintenance !== before.isInMaintenance)
      subject.since = state === 'down' ? (step.began ?? at) : at
    this.#put(subject)
    if (step.began !== undefined) return 'down'
    return step.ended === undefined || outcome === undefined ? undefined : 'up'
  }

  #remember(
    subject: Subject,
    { latencyMs, cameBack, failure }: NonNullable<SubjectCheck['outcome']>,
    at: number,
  ): void {
    const isGood = failure === undefined
    subject.checkedAt = at
    subject.latencyMs = latencyMs
    subject.failure = failure
    subject.failed = isGood ? 0 : subject.failed + 1
    subject.recent.push({ at, isGood, latencyMs, cameBack })
    if (subject.recent.length > maxRecent) subject.recent.shift()
  }

  #count(subject: string, { latencyMs, failure }: NonNullable<SubjectCheck['outcome']>, at: number): void {
    const isGood = failure === undefined
    const rounded = isGood && latencyMs !== undefined ? Math.round(latencyMs) : undefined
    this.#pending.addCheck({ subject, at, isGood, latencyMs: rounded })
  }

  #begin(subject: Subject, beganAt: number): void {
    const failure = JSON.stringify(subject.failure)
    const { name } = subject
    subject.incident = { id: randomUUID(), subject: name, began_at: beganAt, ended_at: null, lasted_ms: 0, failure }
    subject.begins.push(beganAt)
    if (subject.begins.length > maxBegins) subject.begins.shift()
    this.#pending.putIncident(subject.incident)
  }

  #end(subject: Subject, at: number): void {
    const { incident } = subject
    subject.incident = undefined
    if (incident === undefined) return
    // The clock may have been set back meanwhile.
    incident.ended_at = Math.max(at, incident.began_at)
    this.#pending.putIncident(incident)
  }

  #put({ name, track, since, checkedAt, latencyMs, failure }: Subject): void {
    this.#pending.putSubject({
      subject: name,
      state: track.availability.state,
      since: since ?? null,
      credited_until: Math.round(track.creditedUntil),
      checked_at: checkedAt ?? null,
      latency_ms: latencyMs === undefined ? null : Math.round(latencyMs),
      failure: failure === undefined ? null : JSON.stringify(failure),
    })
  }
}

const blank = (name: string): Subject => ({
  name,
  track: openTrack({ isDown: false, creditedUntil: 0 }),
  since: undefined,
  checkedAt: undefined,
  latencyMs: undefined,
  failure: undefined,
  failed: 0,
  incident: undefined,
  begins: [],
  recent: [],
})
