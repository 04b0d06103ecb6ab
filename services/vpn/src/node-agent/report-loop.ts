import { randomUUID } from 'node:crypto'
import type { Log, Timers } from '@hearth/runtime'
import type { HostNetwork } from '../interfaces/host-networks.ts'
import { linkPaths, maxNetworks, NodeNetwork, type Report, ReportAnswer, reportEveryMs } from '../nodes/link-schema.ts'
import { type ControlLink, ControlRefused } from './control-link.ts'
import type { NodeResolver } from './dns/node-resolver.ts'
import type { InterfaceStatus } from './node-tunnels.ts'
import { pauseAfter } from './pauses.ts'
import type { TrafficRecorder } from './traffic-recorder.ts'
import type { WantedState } from './wanted-state.ts'

/** Interfaces in a report and characters of a reason, at most. */
const [maxInterfaces, maxReason] = [100, 300]

/** A report that names the networks again after so many that did not: the service may have restored an older backup. */
const networksEvery = 10

/** Shortest time between two reports, milliseconds. */
const leastPauseMs = 1000

export interface ReportLoopDependencies {
  readonly link: Pick<ControlLink, 'send'>
  readonly wanted: Pick<WantedState, 'revision' | 'statuses'>
  readonly recorder: Pick<TrafficRecorder, 'toSend' | 'confirm'>
  readonly resolver: Pick<NodeResolver, 'status'>
  /** What keeps the page for the peers of an interface from listening; null when it listens, undefined without one. */
  readonly pageErrorOf: (name: string) => string | null | undefined
  /** Reads the networks that this host reaches. */
  readonly networks: () => Promise<readonly HostNetwork[]>
  /** Reads what the devices counted. */
  readonly countTraffic: () => Promise<void>
  /** Called after each report that the service took. */
  readonly onAnswered: () => Promise<void>
  readonly timers: Pick<Timers, 'delay' | 'now' | 'monotonic'>
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Address of the service. */
  readonly url: string
  /** Version of Hearth on this host. */
  readonly version: string
}

/** Reports to the service for as long as the node runs, whether or not it answers: regularly, and soon after `wake`. */
export class ReportLoop {
  readonly #dependencies: ReportLoopDependencies
  #woken = new AbortController()
  #failures = 0
  readonly #instance = randomUUID()
  /** Networks that the service knows, and reports since it was told. */
  #networks: string | undefined
  #sinceNetworks = 0
  /** Result of the last report; each other one is logged. */
  #last: string | undefined

  constructor(dependencies: ReportLoopDependencies) {
    this.#dependencies = dependencies
  }

  /** Has a report sent soon. While the service does not answer, its pauses hold. */
  wake(): void {
    if (this.#failures === 0) this.#woken.abort()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { timers, countTraffic } = this.#dependencies
    let countedAt = -Infinity
    while (!signal.aborted) {
      // Reports that are sent in between must not make spans of a second.
      if (timers.monotonic() - countedAt >= reportEveryMs - leastPauseMs) {
        countedAt = timers.monotonic()
        await countTraffic()
      }
      this.#failures = (await this.#report(signal)) ? 0 : this.#failures + 1
      await this.#pause(signal)
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { timers } = this.#dependencies
    const wait = (ms: number, end: AbortSignal) => timers.delay(ms, end).catch(() => undefined)
    if (this.#failures > 0) return wait(pauseAfter(this.#failures), signal)
    await wait(leastPauseMs, signal)
    await wait(reportEveryMs - leastPauseMs, AbortSignal.any([signal, this.#woken.signal]))
    this.#woken = new AbortController()
  }

  /** Sends one report. Returns false when the service did not answer; a refusal is an answer. */
  async #report(signal: AbortSignal): Promise<boolean> {
    const { link, recorder, onAnswered, url } = this.#dependencies
    try {
      const networks = await this.#readNetworks()
      const text = JSON.stringify(networks)
      const isTold = text === this.#networks && this.#sinceNetworks < networksEvery - 1
      const body = { ...(await this.#body()), ...(isTold ? {} : { networks }) }
      const { name, counted } = await link.send(linkPaths.report, body, { answer: ReportAnswer, signal })
      this.#note('info', `reports to ${url} as ${name}`)
      this.#networks = text
      this.#sinceNetworks = isTold ? this.#sinceNetworks + 1 : 0
      await onAnswered()
      const isMore = typeof counted === 'number' && (await recorder.confirm(counted))
      if (isMore) this.#woken.abort()
      return true
    } catch (error) {
      if (signal.aborted) return true
      // Another service, or another version of it, may answer next.
      this.#networks = undefined
      const { message } = error as Error
      const isUnknown = error instanceof ControlRefused && error.status === 401
      const advice = isUnknown
        ? '; what runs goes on: join again with a new token and --replace, or end it with hearth vpn node leave'
        : ''
      this.#note('warn', `${url}: ${message}${advice}`)
      return error instanceof ControlRefused
    }
  }

  /** The networks that this host reaches in another way than over the interfaces of the service. */
  async #readNetworks(): Promise<NodeNetwork[]> {
    const { wanted, networks } = this.#dependencies
    const own = new Set(wanted.statuses().map(({ name }) => name))
    const found = (await networks()).filter(({ device }) => !own.has(device))
    return found.flatMap((one) => NodeNetwork.safeParse(one).data ?? []).slice(0, maxNetworks)
  }

  async #body(): Promise<Report> {
    const { wanted, recorder, resolver, pageErrorOf, timers, version } = this.#dependencies
    const traffic = await recorder.toSend()
    const interfaces = wanted
      .statuses()
      .slice(0, maxInterfaces)
      .map((one) => shortened(one, pageErrorOf(one.name)))
    const { problem, ...status } = resolver.status()
    const dns = { ...status, problem: shortReason(problem) }
    const report = {
      version,
      instance: this.#instance,
      sent_at: timers.now(),
      revision: wanted.revision,
      interfaces,
      dns,
    }
    return traffic === undefined ? report : { ...report, traffic }
  }

  #note(level: 'info' | 'warn', message: string): void {
    if (message === this.#last) return
    this.#last = message
    this.#dependencies.log[level](message)
  }
}

const shortened = (
  { name, status, reason }: InterfaceStatus,
  page: string | null | undefined,
): NonNullable<Report['interfaces']>[number] => ({
  name,
  status,
  reason: shortReason(reason),
  ...(page === undefined ? {} : { page: shortReason(page) }),
})

const shortReason = (reason: string | null): string | null =>
  reason === null ? null : reason.replaceAll('\0', '').slice(0, maxReason)
