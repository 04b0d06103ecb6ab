import { momentOf, type Log } from '@hearth/runtime'
import type { ServiceEvent } from '../events/schema.ts'
import type { FollowedPeer, SampleReport, Sampler } from './sampler.ts'
import { statusOf } from './followed-peer.ts'

/** More changed peers than this in one round are not sent one by one; pages read their list again instead. */
const activityBound = 500

export interface SamplingParts {
  readonly sampler: Sampler
  readonly log: Log
  /** Read before every pause, and when it is said to be another one. */
  readonly intervalMs: () => number
  readonly publish: (event: ServiceEvent) => void
  /** Takes expired peers off an interface. */
  readonly onExpired: (name: string, ids: readonly string[]) => Promise<void>
  /** Called after every round. */
  readonly onSample: () => Promise<void>
}

/** Reads all devices again and again until closed, and tells listeners what changed. */
export interface SamplingLoop {
  /** The interval is another one: the pause that runs ends when the new one would have, at once if that is over. */
  intervalChanged(): void
  /** Lets the running round finish and writes down what is left. */
  close(): Promise<void>
}

/** Starts the loop. A round that takes long stretches the pauses: reading takes a twentieth of one core at the most. */
export function startSampling(parts: SamplingParts): SamplingLoop {
  const { sampler } = parts
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let running = Promise.resolve()
  let pausedSince: number | undefined

  function next(delay: number): void {
    if (isClosed) return
    timer = setTimeout(() => {
      pausedSince = undefined
      running = takeSample(parts).then(() => {
        pausedSince = performance.now()
        return next(pauseMs())
      })
    }, delay)
  }

  const pauseMs = () => Math.max(parts.intervalMs(), (sampler.lastReport()?.durationMs ?? 0) * 20)

  next(0)
  return {
    intervalChanged() {
      if (pausedSince === undefined) return
      clearTimeout(timer)
      next(Math.max(0, pauseMs() - (performance.now() - pausedSince)))
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await running
      await sampler.flush()
    },
  }
}

async function takeSample(parts: SamplingParts): Promise<void> {
  try {
    const report = await parts.sampler.sample()
    publishSample(parts, report)
    for (const [name, ids] of report.expired) await parts.onExpired(name, ids)
    await parts.onSample()
  } catch (error) {
    parts.log.error({ err: error }, 'sampling failed')
  }
}

function publishSample({ publish }: SamplingParts, report: SampleReport): void {
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
    last_handshake: momentOf(activity.lastHandshake),
    transfer_rx: activity.rxTotal,
    transfer_tx: activity.txTotal,
    endpoint: activity.endpoint,
  }
}
