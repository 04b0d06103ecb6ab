import type { CheckCounts, DayRow, IncidentRow, PointRow, SubjectRow } from './tables.ts'
import type { Credit } from './track.ts'

/** Length of a day, milliseconds. */
export const dayMs = 86_400_000

/** Time of a point, milliseconds. */
export const pointMs = 900_000

/** Returns the number of the day in UTC. */
export const dayOf = (at: number): number => Math.floor(at / dayMs)

/** Results that are not in the database yet. Counts are what is added to stored rows; subjects and incidents replace them. */
export interface ResultBatch {
  readonly days: readonly DayRow[]
  readonly points: readonly PointRow[]
  readonly subjects: readonly SubjectRow[]
  readonly incidents: readonly IncidentRow[]
  /** Subjects whose days after this one are forgotten. */
  readonly forgotten: ReadonlyMap<string, number>
}

/** One check, as it is counted. */
export interface CountedCheck {
  readonly subject: string
  readonly at: number
  readonly isGood: boolean
  readonly latencyMs: number | undefined
}

/** Collects results until they are written together. */
export class PendingResults {
  #days = new Map<string, DayRow>()
  #points = new Map<string, PointRow>()
  #subjects = new Map<string, SubjectRow>()
  #incidents = new Map<string, IncidentRow>()
  #forgotten = new Map<string, number>()

  /** Counts a check for its day and its point. */
  addCheck({ subject, at, isGood, latencyMs }: CountedCheck): void {
    const point = { subject, starts_at: Math.floor(at / pointMs) * pointMs }
    for (const counts of [this.#dayFor(subject, dayOf(at)), this.#pointFor(point)]) {
      counts.checks += 1
      if (!isGood) counts.failed += 1
      if (latencyMs === undefined) continue
      counts.latency_total += latencyMs
      counts.latency_count += 1
      counts.latency_max = Math.max(counts.latency_max, latencyMs)
    }
  }

  /** Adds observed time to the days it lies in. */
  addTime(subject: string, { kind, start, end }: Credit): void {
    for (let from = start; from < end;) {
      const day = dayOf(from)
      const until = Math.min(end, (day + 1) * dayMs)
      this.#dayFor(subject, day)[`${kind}_ms`] += Math.round(until) - Math.round(from)
      from = until
    }
  }

  putSubject(row: SubjectRow): void {
    this.#subjects.set(row.subject, row)
  }

  putIncident(row: IncidentRow): void {
    this.#incidents.set(row.id, { ...row })
  }

  /** Forgets the days of a subject after this one: the clock was wrong. */
  forgetAfter(subject: string, day: number): void {
    this.#forgotten.set(subject, Math.min(day, this.#forgotten.get(subject) ?? day))
    for (const [key, row] of this.#days) if (row.subject === subject && row.day > day) this.#days.delete(key)
    for (const [key, row] of this.#points)
      if (row.subject === subject && dayOf(row.starts_at) > day) this.#points.delete(key)
  }

  /** Returns what waits and starts over; undefined when nothing does. */
  take(): ResultBatch | undefined {
    const batch = {
      days: [...this.#days.values()],
      points: [...this.#points.values()],
      subjects: [...this.#subjects.values()],
      incidents: [...this.#incidents.values()],
      forgotten: this.#forgotten,
    }
    this.#days = new Map()
    this.#points = new Map()
    this.#subjects = new Map()
    this.#incidents = new Map()
    this.#forgotten = new Map()
    const { days, points, subjects, incidents, forgotten } = batch
    return days.length + points.length + subjects.length + incidents.length + forgotten.size === 0 ? undefined : batch
  }

  /** Takes back a batch that could not be written; what came since is newer. */
  giveBack({ days, points, subjects, incidents, forgotten }: ResultBatch): void {
    for (const row of days) {
      const day = this.#dayFor(row.subject, row.day)
      for (const name of ['up_ms', 'down_ms', 'maintenance_ms'] as const) day[name] += row[name]
      addCounts(day, row)
    }
    for (const row of points) addCounts(this.#pointFor(row), row)
    for (const row of subjects) if (!this.#subjects.has(row.subject)) this.#subjects.set(row.subject, row)
    for (const row of incidents) if (!this.#incidents.has(row.id)) this.#incidents.set(row.id, row)
    for (const [subject, day] of forgotten)
      this.#forgotten.set(subject, Math.min(day, this.#forgotten.get(subject) ?? day))
  }

  #dayFor(subject: string, day: number): DayRow {
    const key = `${day} ${subject}`
    const row = this.#days.get(key) ?? { subject, day, up_ms: 0, down_ms: 0, maintenance_ms: 0, ...noCounts }
    this.#days.set(key, row)
    return row
  }

  #pointFor({ subject, starts_at }: Pick<PointRow, 'subject' | 'starts_at'>): PointRow {
    const key = `${starts_at} ${subject}`
    const row = this.#points.get(key) ?? { subject, starts_at, ...noCounts }
    this.#points.set(key, row)
    return row
  }
}

/** Splits a batch into batches of so many subjects at most; all rows of a subject stay together. */
export function splitBatch(batch: ResultBatch, most: number): ResultBatch[] {
  const rows = [...batch.days, ...batch.points, ...batch.subjects, ...batch.incidents]
  const names = [...new Set([...rows.map(({ subject }) => subject), ...batch.forgotten.keys()])]
  if (names.length <= most) return [batch]
  const partOf = new Map(names.map((name, index) => [name, Math.floor(index / most)]))
  return Array.from({ length: Math.ceil(names.length / most) }, (_, part) => {
    const isIn = ({ subject }: { readonly subject: string }) => partOf.get(subject) === part
    return {
      days: batch.days.filter(isIn),
      points: batch.points.filter(isIn),
      subjects: batch.subjects.filter(isIn),
      incidents: batch.incidents.filter(isIn),
      forgotten: new Map([...batch.forgotten].filter(([subject]) => isIn({ subject }))),
    }
  })
}

const noCounts: Readonly<CheckCounts> = { checks: 0, failed: 0, latency_total: 0, latency_count: 0, latency_max: 0 }

function addCounts(counts: CheckCounts, more: CheckCounts): void {
  for (const name of ['checks', 'failed', 'latency_total', 'latency_count'] as const) counts[name] += more[name]
  counts.latency_max = Math.max(counts.latency_max, more.latency_max)
}
