import type { Log, Timers } from '@hearth/runtime'
import { linkPaths, reportEveryMs, ReportAnswer } from '../nodes/link-schema.ts'
import { ControlLink, ControlRefused } from './control-link.ts'
import type { Identity } from './identity.ts'

export interface NodeAgentDependencies {
  readonly identity: Identity
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly timers: Pick<Timers, 'delay'>
  /** Version of Hearth on this host. */
  readonly version: string
}

/** What runs on a node: it reports to the service for as long as it runs, whether or not the service answers. */
export class NodeAgent {
  readonly #dependencies: NodeAgentDependencies
  readonly #link: ControlLink
  readonly #end = new AbortController()
  #running: Promise<void> = Promise.resolve()
  /** Result of the last report; each other one is logged. */
  #last: string | undefined

  constructor(dependencies: NodeAgentDependencies) {
    this.#dependencies = dependencies
    this.#link = new ControlLink(dependencies.identity)
  }

  /** Begins to report. */
  start(): void {
    this.#running = this.#run()
  }

  async #run(): Promise<void> {
    const { signal } = this.#end
    let failures = 0
    while (!signal.aborted) {
      failures = (await this.#report(signal)) ? 0 : failures + 1
      await this.#dependencies.timers.delay(pauseAfter(failures), signal).catch(() => undefined)
    }
  }

  /** Sends one report. Returns false when the service did not answer; a refusal is an answer. */
  async #report(signal: AbortSignal): Promise<boolean> {
    const { identity, version } = this.#dependencies
    try {
      const { name } = await this.#link.send(linkPaths.report, { version }, { answer: ReportAnswer, signal })
      this.#note('info', `reports to ${identity.url} as ${name}`)
      return true
    } catch (error) {
      if (signal.aborted) return true
      const message = (error as Error).message
      const isUnknown = error instanceof ControlRefused && error.status === 401
      const advice = isUnknown ? '; join again with a new token and --replace' : ''
      this.#note('warn', `${identity.url}: ${message}${advice}`)
      return error instanceof ControlRefused
    }
  }

  #note(level: 'info' | 'warn', message: string): void {
    if (message === this.#last) return
    this.#last = message
    this.#dependencies.log[level](message)
  }

  /** Ends the reports. */
  async close(): Promise<void> {
    this.#end.abort()
    await this.#running
    this.#link.close()
  }
}

/** Pause before the next report, milliseconds: soon after a failure, so that a service that was restarted knows its nodes at once. */
const pauseAfter = (failures: number): number =>
  failures === 0 ? reportEveryMs : Math.min(reportEveryMs, 1000 * 2 ** (failures - 1))
