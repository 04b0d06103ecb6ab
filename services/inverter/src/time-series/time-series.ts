import { AwayReport } from '../notifications/away-report.ts'
import { SwitchedPart } from '../switched-part.ts'
import type { TimeSeriesDependencies } from './dependencies.ts'
import type { Runner } from './runner.ts'
import type { TimeSeriesChange, TimeSeriesStatus, TimeSeriesTest, TimeSeriesView } from './schema.ts'
import { openTimeSeriesSettings, type TimeSeriesSettingsStore } from './time-series-settings.ts'

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
  readonly #away: AwayReport
  readonly #part = new SwitchedPart<Runner>({
    begin: () => this.#begin(),
    end: (runner, why) => this.#end(runner, why),
  })

  constructor(dependencies: TimeSeriesDependencies, settings: TimeSeriesSettingsStore) {
    this.#dependencies = dependencies
    this.#settings = settings
    this.#away = new AwayReport({
      ...dependencies,
      event: { class: 'time-series.stuck', subject: 'server', path: '/time-series' },
      texts: {
        away: 'The time-series database takes no points',
        back: 'The time-series database takes points again',
        meanwhile: 'Points are kept on disk and written as soon as it takes them.',
        unknown: 'The server does not answer',
      },
    })
  }

  start(): Promise<void> {
    return this.#part.start()
  }

  view(): TimeSeriesView {
    return { settings: this.#settings.current(), status: this.status() }
  }

  status(): TimeSeriesStatus {
    return this.#part.running?.status() ?? off
  }

  /** Stores the settings and applies them at once. What is in the buffer goes to the server that is set then. */
  change(change: TimeSeriesChange): Promise<void> {
    return this.#part.change(() => this.#settings.change(change))
  }

  /** Sends a request without points, with settings that are not stored. */
  async test(change: TimeSeriesChange): Promise<TimeSeriesTest> {
    const address = this.#settings.addressOf(change)
    const { testServer } = await import('./test-server.ts')
    return testServer(address, this.#dependencies)
  }

  close(): Promise<void> {
    return this.#part.close()
  }

  async #begin(): Promise<Runner | undefined> {
    const settings = this.#settings.current()
    if (!settings.enabled) return undefined
    const { startRunner } = await import('./runner.ts')
    const runner = await startRunner(settings, this.#settings.address(), this.#dependencies)
    const { sender } = runner
    this.#away.follow(() => ({
      awayMs: sender.awayMs,
      isThere: sender.awayMs === 0,
      lastError: sender.lastError,
    }))
    return runner
  }

  async #end(runner: Runner, why: 'change' | 'close'): Promise<void> {
    this.#away.end()
    await runner.stop()
    if (why === 'change') this.#away.clear()
  }
}
