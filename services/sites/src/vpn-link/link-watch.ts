import type { Timers } from '@hearth/runtime'
import type { VpnProblem } from './record-sync.ts'

/** What is observed of a link: that it works, why it does not, or that there is none. */
export type LinkObservation = 'good' | 'unlinked' | VpnProblem

export interface LinkWatchDependencies {
  readonly timers: Timers
  /** Called when the link has not worked for a while. */
  readonly onBegan: (problem: VpnProblem) => void
  /** Called when it has worked again for a while, also when it never failed for long. */
  readonly onEnded: () => void
  /** Called when the link was ended: there is nothing to say any more. */
  readonly onUnlinked: () => void
}

/** Time for which the link fails before somebody is told, milliseconds: a restart or an upgrade of the VPN is shorter. */
const graceMs = 600_000
/** Time for which it works before somebody is told that it does, milliseconds. */
const settleMs = 120_000

/** Decides when a failing link is worth a message: once after a grace time, and once when it works again. */
export class LinkWatch {
  readonly #dependencies: LinkWatchDependencies
  #last: LinkObservation | undefined
  #isTold: boolean | undefined
  #cancel: (() => void) | undefined

  constructor(dependencies: LinkWatchDependencies) {
    this.#dependencies = dependencies
  }

  observe(observed: LinkObservation): void {
    const was = this.#last
    this.#last = observed
    if (observed === 'unlinked') {
      this.close()
      if (was !== 'unlinked') this.#dependencies.onUnlinked()
      this.#isTold = false
      return
    }
    const isFailing = observed !== 'good'
    const isSame = was !== undefined && was !== 'unlinked' && isFailing === (was !== 'good')
    // A wait goes on, and what was told is not told again.
    if (isSame || this.#isTold === isFailing) {
      if (!isSame) this.close()
      return
    }
    this.close()
    this.#cancel = this.#dependencies.timers.after(isFailing ? graceMs : settleMs, () => this.#tell())
  }

  /** Ends a wait. */
  close(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #tell(): void {
    this.#cancel = undefined
    const last = this.#last
    if (last === undefined || last === 'unlinked') return
    this.#isTold = last !== 'good'
    if (last === 'good') this.#dependencies.onEnded()
    else this.#dependencies.onBegan(last)
  }
}
