import { toIsoString, type Log } from '@hearth/runtime'
import type { ServiceEvent } from '../service-event.ts'
import type { Sampler } from './sampler.ts'
import type { SampleReport } from './sample-report.ts'
import { type FollowedPeer, statusOf } from './followed-peer.ts'

/** Maximum number of changed peers in one event; with more, pages read their list again. */
const activityBound = 500

export interface SamplingDependencies {
  readonly sampler: Sampler
  readonly log: Log
  /** Read before every pause, and when it is said to be another one. */
  readonly intervalMs: () => number
  readonly publish: (event: ServiceEvent) => void
  /** Takes expired peers off an interface. */
  readonly onExpired: (name: string, ids: readonly string[]) => Promise<void>
  /** Called after every round. */
  readonly onSample: (report: SampleReport) => Promise<void>
}

/**
 * Reads all devices again and again until closed, and publishes what changed. A round that takes long stretches the pauses:
 * reading takes a twentieth of one core at most.
 */
export function startSampling(dependencies: SamplingDependencies) {
  const { sampler } = dependencies
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let running = Promise.resolve()
  let pausedSince: number | undefined

  function next(delay: number): void {
    if (isClosed) return
    timer = setTimeout(() => {
      pausedSince = undefined
      running = takeSample(dependencies).then(() => {
        pausedSince = performance.now()
        return next(pauseMs())
      })
    }, delay)
  }

  const pauseMs = () => Math.max(dependencies.intervalMs(), (sampler.lastReport()?.durationMs ?? 0) * 20)

  next(0)
  return {
    /** The interval is another one: the pause that runs ends when the new one would have, at once if that is over. */
    intervalChanged(): void {
      if (pausedSince === undefined) return
      clearTimeout(timer)
      next(Math.max(0, pauseMs() - (performance.now() - pausedSince)))
    },
    /** Lets the running round finish and writes down what is left. */
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await running
      await sampler.flush()
    },
  }
}

async function takeSample(dependencies: SamplingDependencies): Promise<void> {
  try {
    const report = await dependencies.sampler.sample()
    publishSample(dependencies, report)
    for (const [name, ids] of report.expired)
      await dependencies.onExpired(name, ids).catch((error: unknown) => {
        dependencies.log.error({ err: error, interface: name }, 'peers that have expired could not be taken away')
      })
    await dependencies.onSample(report)
  } catch (error) {
    dependencies.log.error({ err: error }, 'sampling failed')
  }
}

function publishSample({ publish }: SamplingDependencies, report: SampleReport): void {
  for (const peer of report.switched.slice(0, activityBound)) {
    const connected = statusOf(peer, report.at) === 'active'
    publish({ type: 'connection', id: peer.id, name: peer.name, connected })
  }
  if (report.changed.length > activityBound) publish({ type: 'changed', collection: 'peers', id: null })
  else if (report.changed.length > 0)
    publish({ type: 'activity', peers: report.changed.map((peer) => activityOf(peer, report.at)) })
}

function activityOf(peer: FollowedPeer, at: number) {
  const { activity } = peer
  const status = statusOf(peer, at)
  return {
    id: peer.id,
    interface: peer.interface,
    status,
    connected: status === 'active',
    last_handshake: toIsoString(activity.last_handshake),
    transfer_rx: activity.rx_total,
    transfer_tx: activity.tx_total,
    endpoint: activity.endpoint,
  }
}
