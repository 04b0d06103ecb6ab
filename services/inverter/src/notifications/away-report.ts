import type { Reports } from '@hearth/notifications'
import type { Timers } from '@hearth/runtime'

/** Time without a server after which people are told, milliseconds, and the interval of that check. */
const awayMs = 600_000
const checkEvery = 30_000

/** A server that values go to. */
export interface FollowedServer {
  /** Milliseconds for which it has taken nothing. */
  readonly awayMs: number
  /** True while it takes what it is sent. */
  readonly isThere: boolean
  readonly lastError: string | null
}

interface AwayReportOptions {
  readonly timers: Timers
  readonly reports: Reports
  readonly event: Pick<Parameters<Reports['begin']>[0], 'class' | 'subject' | 'path'>
  /** Titles of the two notifications, what becomes of the values meanwhile, and the reason when none is known. */
  readonly texts: Readonly<Record<'away' | 'back' | 'meanwhile' | 'unknown', string>>
}

/** Tells people about a server that stays away, and when it is back. */
export class AwayReport {
  readonly #options: AwayReportOptions
  #cancel: () => void = () => undefined

  constructor(options: AwayReportOptions) {
    this.#options = options
  }

  /** Looks at the server now and again until `end`. */
  follow(server: () => FollowedServer): void {
    const { reports, event, texts, timers } = this.#options
    const { awayMs: away, isThere, lastError } = server()
    if (away >= awayMs)
      reports.begin({ ...event, title: texts.away, text: `${lastError ?? texts.unknown}. ${texts.meanwhile}` })
    else if (isThere) this.clear()
    this.#cancel = timers.after(checkEvery, () => this.follow(server))
  }

  end(): void {
    this.#cancel()
  }

  /** Takes back what was told. */
  clear(): void {
    const { reports, event, texts } = this.#options
    reports.end({ ...event, title: texts.back, text: '' })
  }
}
