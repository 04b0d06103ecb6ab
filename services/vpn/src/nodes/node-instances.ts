/** Programs that are remembered of a node, at most. */
const maxRemembered = 8
/** A program that reports again after so long, milliseconds, says nothing of two at a time. */
const rememberMs = 600_000
/** Two hosts are shown for so long after they were noticed last, milliseconds: ten reports. */
const shownMs = 300_000

interface Program {
  readonly address: string
  readonly at: number
}

interface Known {
  /** In the order of their last reports. */
  readonly programs: Map<string, Program>
  addresses: readonly string[]
  until: number
}

/**
 * Notices that two programs report by turns as one node: its files were copied to another host. A program that is started again is
 * another one, but the one before does not come back.
 */
export class NodeInstances {
  readonly #nodes = new Map<string, Known>()

  /** Takes over that a program reported from an address. Returns true when that shows a second one for the first time in a while. */
  seen(nodeId: string, { instance, address, now }: { instance: string; address: string; now: number }): boolean {
    const known = this.#nodes.get(nodeId) ?? { programs: new Map(), addresses: [], until: -Infinity }
    this.#nodes.set(nodeId, known)
    const [current, other] = [...known.programs].at(-1) ?? []
    const earlier = known.programs.get(instance)
    const isBack = current !== instance && other !== undefined && earlier !== undefined && now - earlier.at < rememberMs
    const isNew = isBack && now > known.until
    if (isBack) {
      known.addresses = other.address === address ? [address] : [other.address, address]
      known.until = now + shownMs
    }
    known.programs.delete(instance)
    known.programs.set(instance, { address, at: now })
    const [oldest] = known.programs.keys()
    if (known.programs.size > maxRemembered && oldest !== undefined) known.programs.delete(oldest)
    return isNew
  }

  /** Returns the addresses of two hosts that report as one node, one when they share it; null when it is one host. */
  duplicatesOf(nodeId: string, now: number): string[] | null {
    const known = this.#nodes.get(nodeId)
    return known !== undefined && now <= known.until ? [...known.addresses] : null
  }

  /** Forgets a node that was removed, or has joined again. */
  forget(nodeId: string): void {
    this.#nodes.delete(nodeId)
  }
}
