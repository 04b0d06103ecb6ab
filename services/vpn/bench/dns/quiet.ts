import { existsSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { cpuSeconds, machineSeconds } from './machine.ts'

const maxTries = 8
/** CPU share of others up to which a window counts as quiet. */
const quietShare = 0.05
const patienceMs = 90_000
const autogroup = '/proc/self/autogroup'

/** Lower bound of a window: CPU seconds of processes that started and ended in it. */
interface Taken {
  readonly cpuSeconds: number
}

/** A window, and the share of a core that others took meanwhile. */
export type Window<T> = T & { readonly foreign: number }

/**
 * Takes a window in which others use little of the machine: waits until it is idle, and takes it again, up to eight times, when
 * they used more than a twentieth of a core; the quietest counts. What this process started is not others.
 */
export async function quietly<T extends Taken>(take: () => Promise<T>): Promise<Window<T>> {
  let quietest = await observed(take)
  for (let tries = 1; tries < maxTries && quietest.foreign > quietShare; tries++) {
    const window = await observed(take)
    if (window.foreign < quietest.foreign) quietest = window
  }
  return quietest
}

/** Waits until no one has used the processor for half a second, a minute and a half at most. */
export async function untilIdle(): Promise<void> {
  const until = performance.now() + patienceMs
  for (let calm = 0; calm < 2 && performance.now() < until;) {
    const before = machineSeconds()
    await pause(250)
    calm = machineSeconds() - before <= 0.02 ? calm + 1 : 0
  }
}

/** Whatever this process started goes before everything else on the machine while the work goes on, as far as the kernel does so. */
export async function goingFirst<T>(work: () => Promise<T>): Promise<T> {
  if (!existsSync(autogroup)) return await work()
  writeFileSync(autogroup, '-19')
  try {
    return await work()
  } finally {
    writeFileSync(autogroup, '0')
  }
}

async function observed<T extends Taken>(take: () => Promise<T>): Promise<Window<T>> {
  await untilIdle()
  const before = { ours: cpuSeconds(process.pid), machine: machineSeconds(), at: performance.now() }
  const taken = await goingFirst(take)
  const ours = cpuSeconds(process.pid) - before.ours + taken.cpuSeconds
  const foreign = (machineSeconds() - before.machine - ours) / ((performance.now() - before.at) / 1000)
  return { ...taken, foreign: Math.max(0, foreign) }
}
