import { createKeyedQueue } from '@hearth/runtime'
import type { TimeSeriesDependencies } from './dependencies.ts'
import type { Runner } from './runner.ts'
import type { TimeSeriesChange, TimeSeriesStatus, TimeSeriesTest, TimeSeriesView } from './schema.ts'
import { openTimeSeriesSettings, type TimeSeriesSettingsStore } from './time-series-settings.ts'

/** Time without the server after which people are told, milliseconds, and the interval of that check. */
const awayMs = 600_000
const checkEvery = 30_000

const off: TimeSeriesStatus = {
  state: 'off',
  since: null,
  last_error: null,
  next_attempt_at: null,
  last_written_at: null,
  points_written: 0,
  points_refused: 0,
  points_overflowed: 0,
  last_refusal: null,
  buffered_bytes: 0,
}

/** Values to a time-series database. */
export type TimeSeries = Awaited<ReturnType<typeof openTimeSeries>>

/** Reads the settings. Nothing is written before `start`. */
export async function openTimeSeries(dependencies: TimeSeriesDependencies) {
  const { database, sealer, catalog } = dependencies
  return new TimeSeriesService(dependencies, await openTimeSeriesSettings(database, sealer, catalog))
}

/** Time series, on or off. What reads and writes is loaded when it is switched on. */
class TimeSeriesService {
  readonly #dependencies: TimeSeriesDependencies
  readonly #settings: TimeSeriesSettingsStore
  readonly #queue = createKeyedQueue(8)
  #runner: Runner | undefined
  #cancelCheck: () => void = () => undefined
  #isStarted = false

  constructor(dependencies: TimeSeriesDependencies, settings: TimeSeriesSettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
  }

  start(): Promise<void> {
    this.#isStarted = true
    return this.#withLock(() => this.#begin())
  }

  view(): TimeSeriesView {
    return { settings: this.#settings.current(), status: this.status() }
  }

  status(): TimeSeriesStatus {
    return this.#runner?.status() ?? off
  }

  /** Stores the settings and applies them at once. What is in the buffer goes to the server that is set then. */
  change(change: TimeSeriesChange): Promise<void> {
    return this.#withLock(async () => {
      await this.#settings.change(change)
      if (!this.#isStarted) return
      await this.#end()
      this.#report(false, '')
      await this.#begin()
    })
  }

  /** Sends a request without points, with settings that are not stored. */
  async test(change: TimeSeriesChange): Promise<TimeSeriesTest> {
    const address = this.#settings.addressOf(change)
    const { testServer } = await import('./test-server.ts')
    return testServer(address, this.#dependencies)
  }

  async close(): Promise<void> {
    this.#isStarted = false
    await this.#withLock(() => this.#end())
  }

  async #begin(): Promise<void> {
    const settings = this.#settings.current()
    if (!settings.enabled) return
    const { startRunner } = await import('./runner.ts')
    this.#runner = await startRunner(settings, this.#settings.address(), this.#dependencies)
    this.#check()
  }

  async #end(): Promise<void> {
    this.#cancelCheck()
    const runner = this.#runner
    this.#runner = undefined
    await runner?.stop()
  }

  /** Tells people about a server that stays away, and when it is back. */
  #check(): void {
    const sender = this.#runner?.sender
    if (sender === undefined) return
    if (sender.awayMs >= awayMs) this.#report(true, sender.lastError ?? 'The server does not answer')
    else if (sender.awayMs === 0) this.#report(false, '')
    this.#cancelCheck = this.#dependencies.timers.after(checkEvery, () => this.#check())
  }

  #report(isAway: boolean, reason: string): void {
    const change = { class: 'time-series.stuck', subject: 'server', path: '/time-series' } as const
    if (isAway)
      this.#dependencies.reports.begin({
        ...change,
        title: 'The time-series database takes no points',
        text: `${reason}. Points are kept on disk and written as soon as it takes them.`,
      })
    else this.#dependencies.reports.end({ ...change, title: 'The time-series database takes points again', text: '' })
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run('time-series', work)
  }
}
