import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { writeFileAtomic } from '@hearth/runtime'
import { z } from 'zod'
import type { PeerState } from './device.ts'

/** Activity of a peer, as a device reports it. */
type PeerActivity = Pick<PeerState, 'endpoint' | 'latestHandshake' | 'rxBytes' | 'txBytes'>

/** Age at which an activity file no longer counts, milliseconds: its writer has stopped. */
const freshness = 5000

const ActivityFile = z.object({
  writtenAt: z.number(),
  /** By public key: endpoint, latest handshake (ms), bytes received, bytes sent. */
  peers: z.record(z.string(), z.tuple([z.string(), z.number(), z.number(), z.number()])),
})

function activityPath(directory: string): string {
  return join(directory, 'simulated-traffic.json')
}

/** The activity by public key; empty while no traffic is simulated. */
export async function readSimulatedTraffic(directory: string): Promise<ReadonlyMap<string, PeerActivity>> {
  const text = await readFile(activityPath(directory), 'utf8').catch(() => '')
  if (text === '') return new Map()
  const parsed = ActivityFile.safeParse(JSON.parse(text))
  if (!parsed.success || Math.abs(Date.now() - parsed.data.writtenAt) > freshness) return new Map()
  return new Map(
    Object.entries(parsed.data.peers).map(([publicKey, [endpoint, latestHandshake, rxBytes, txBytes]]) => {
      return [publicKey, { endpoint, latestHandshake, rxBytes, txBytes }]
    }),
  )
}

/** Peers that have traffic, and until when. */
export interface SimulationOptions {
  /** The peers' public keys, read every second so that new peers join in. */
  readonly publicKeys: () => readonly string[] | Promise<readonly string[]>
  /** Ends the simulation; the file is removed then, and the peers fall silent. */
  readonly signal: AbortSignal
  /** Milliseconds between two writes; 1000 by default. */
  readonly interval?: number
}

/**
 * Simulates traffic of the peers of simulated devices: handshakes every two minutes, endpoints from documentation ranges, and
 * counters that grow at a different rate per peer. About one peer in eight stays offline. Resolves when the signal aborts.
 */
export async function simulateTraffic(directory: string, options: SimulationOptions): Promise<void> {
  const { signal, interval = 1000 } = options
  const startedAt = Date.now()
  const habits = new Map<string, Habit>()
  try {
    while (!signal.aborted) {
      const peers: z.infer<typeof ActivityFile>['peers'] = {}
      for (const publicKey of await options.publicKeys()) {
        const habit = habits.get(publicKey) ?? habitOf(publicKey)
        habits.set(publicKey, habit)
        if (habit.isTalking) peers[publicKey] = activityOf(habit, startedAt)
      }
      const content: z.infer<typeof ActivityFile> = { writtenAt: Date.now(), peers }
      await writeFileAtomic(activityPath(directory), JSON.stringify(content))
      await pause(interval, undefined, { signal }).catch(() => undefined)
    }
  } finally {
    await rm(activityPath(directory), { force: true })
  }
}

interface Habit {
  readonly isTalking: boolean
  readonly endpoint: string
  /** Bytes a second received from the peer and sent to it. */
  readonly rxPace: number
  readonly txPace: number
  /** Milliseconds by which its handshakes are shifted against those of others. */
  readonly shift: number
}

const handshakeInterval = 120_000

/** The same peer always behaves in the same way. */
function habitOf(publicKey: string): Habit {
  const digest = createHash('sha256').update(publicKey).digest()
  const range = digest.readUInt8(0) % 2 === 0 ? '192.0.2' : '198.51.100'
  const rxPace = 200 + (digest.readUInt16BE(4) % 20_000)
  return {
    isTalking: digest.readUInt8(1) >= 32,
    endpoint: `${range}.${1 + (digest.readUInt8(2) % 254)}:${20_000 + (digest.readUInt16BE(6) % 40_000)}`,
    rxPace,
    txPace: rxPace * (2 + (digest.readUInt8(3) % 10)),
    shift: digest.readUInt32BE(8) % handshakeInterval,
  }
}

function activityOf(habit: Habit, startedAt: number): [string, number, number, number] {
  const now = Date.now()
  const seconds = (now - startedAt) / 1000 + 1
  const sinceHandshake = (now + habit.shift) % handshakeInterval
  const latestHandshake = Math.max(startedAt, now - sinceHandshake)
  return [habit.endpoint, latestHandshake, Math.floor(seconds * habit.rxPace), Math.floor(seconds * habit.txPace)]
}
