import type { Kysely } from 'kysely'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import type { MediaBus } from '../events.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Statistics, TempoClusters } from './schema.ts'
import { readDays, readPlatforms, readTempi, readTotals } from './store.ts'

export interface StatisticsDependencies {
  readonly db: Kysely<Tables>
  readonly settings: SettingsStore
  readonly bus: MediaBus
  readonly clock: Clock
}

/** Lifetime of figures, milliseconds. */
const freshFor = 60_000
const day = 86_400_000
const shownDays = 30
const clusterWidth = 5

/** Figures over completed jobs since the last reset. */
export type StatisticsReader = ReturnType<typeof createStatistics>

/** Creates the figures, which are read once a minute; a reset, also by another process, makes them new at once. */
export function createStatistics({ db, settings, bus, clock }: StatisticsDependencies) {
  let kept: { marker: number; at: number; figures: Promise<Statistics> } | undefined
  const marker = () => Number(settings.internal('statistics_reset_at') ?? 0)

  return {
    read(): Promise<Statistics> {
      const [at, since] = [clock.monotonic(), marker()]
      if (kept !== undefined && kept.marker === since && at - kept.at < freshFor) return kept.figures
      const figures = readFigures(db, since, clock.now())
      const fresh = { marker: since, at, figures }
      kept = fresh
      figures.catch(() => {
        if (kept === fresh) kept = undefined
      })
      return figures
    },
    async reset(): Promise<void> {
      await settings.write({}, { statistics_reset_at: String(clock.now()) })
      kept = undefined
      bus.publish({ type: 'settings_changed', job_id: null })
    },
    async clusters(limit: number): Promise<TempoClusters> {
      return clustersOf(await readTempi(db, { after: marker(), limit }))
    },
  }
}

async function readFigures(db: Kysely<Tables>, after: number, now: number): Promise<Statistics> {
  const today = Math.floor(now / day)
  const firstDay = today - shownDays + 1
  const [totals, platforms, days] = await Promise.all([
    readTotals(db, after),
    readPlatforms(db, after),
    readDays(db, { after, since: firstDay }),
  ])
  const byDay = new Map(days.map((figures) => [figures.day, figures]))
  return {
    total_jobs: totals.jobs,
    total_minutes: minutes(totals.durationMs),
    total_bytes: totals.bytes,
    total_stem_minutes: minutes(totals.stemMs),
    since: after === 0 ? null : new Date(after).toISOString(),
    by_platform: platforms,
    by_day: Array.from({ length: shownDays }, (_, index) => {
      const { jobs = 0, bytes = 0 } = byDay.get(firstDay + index) ?? {}
      return { day: new Date((firstDay + index) * day).toISOString().slice(0, 10), jobs, bytes }
    }),
  }
}

/** To a tenth. */
const minutes = (milliseconds: number): number => Math.round(milliseconds / 6000) / 10

function clustersOf(tempi: readonly number[]): TempoClusters {
  const counts = new Map<number, number>()
  for (const tempo of tempi) {
    const bpm = Math.round(tempo / clusterWidth) * clusterWidth
    counts.set(bpm, (counts.get(bpm) ?? 0) + 1)
  }
  return [...counts].map(([bpm, count]) => ({ bpm, count })).sort((a, b) => b.count - a.count || a.bpm - b.bpm)
}
