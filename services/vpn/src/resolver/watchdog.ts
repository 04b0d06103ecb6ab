import type { ProcessSample } from '../dns/loops/process-sample.ts'

/** Time between two checks, milliseconds. */
export const checkMs = 400
/** A process found stopped so many times in a row is hung. */
const maxStopped = 2

/** Maximum run time of a process between two heartbeats, milliseconds. */
export interface WatchdogLimits {
  /** Sleeping, and not waiting for a processor or disk. */
  readonly asleepMs: number
  /** Running. */
  readonly ranMs: number
  /** Passed time, where the system says nothing of the process. */
  readonly passedMs: number
}

/**
 * Detects a hung process: it was stopped, or sent no heartbeat although it had processor time. Time in which it waits for a
 * processor or a disk does not count, so a machine under load does not make a healthy process hang; nor does time in which this
 * process itself could not check.
 */
export class Watchdog {
  #limits: WatchdogLimits
  #checkedAt: number
  #last: ProcessSample | undefined
  #stopped = 0
  #asleepMs = 0
  #ranMs = 0
  #passedMs = 0

  constructor(limits: WatchdogLimits, now: number) {
    this.#limits = limits
    this.#checkedAt = now
  }

  /** Records a heartbeat; these limits apply from now on. */
  reset(limits: WatchdogLimits): void {
    this.#limits = limits
    this.#stopped = 0
    this.#asleepMs = 0
    this.#ranMs = 0
    this.#passedMs = 0
  }

  /** To be called every `checkMs`. Returns why the process hangs; undefined while it does not. */
  check(sample: ProcessSample | undefined, now: number): string | undefined {
    const passed = Math.min(now - this.#checkedAt, 2 * checkMs)
    this.#checkedAt = now
    const last = this.#last ?? sample
    this.#last = sample
    if (sample === undefined || last === undefined) {
      this.#passedMs += passed
      return this.#passedMs > this.#limits.passedMs ? 'gives no sign of life' : undefined
    }
    const ran = sample.ranMs - last.ranMs
    this.#ranMs += ran
    if (sample.state === 'S') this.#asleepMs += Math.max(0, passed - ran - (sample.waitedMs - last.waitedMs))
    this.#stopped = sample.state === 'T' ? this.#stopped + 1 : 0
    if (this.#stopped >= maxStopped) return 'is stopped'
    return this.#asleepMs > this.#limits.asleepMs || this.#ranMs > this.#limits.ranMs ? 'hangs' : undefined
  }
}
