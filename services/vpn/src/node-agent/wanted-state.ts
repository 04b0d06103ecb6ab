import type { Log } from '@hearth/runtime'
import { NodeState } from '../nodes/node-state.ts'
import type { NodePage } from './node-page.ts'
import type { InterfaceStatus, NodeTunnels } from './node-tunnels.ts'
import { describeIssue, readStateFile, type StoredState, writeStateFile } from './state-file.ts'

export interface WantedStateDependencies {
  readonly directory: string
  readonly tunnels: Pick<NodeTunnels, 'apply' | 'statuses' | 'stillRunning'>
  /** The page for peers, which listens only while the rules that guard it are in force. */
  readonly page: Pick<NodePage, 'narrow' | 'bring'>
  readonly log: Pick<Log, 'info' | 'error'>
}

/** What a node is to run: keeps it on the disk and has it brought into force, again and again when that fails. */
export class WantedState {
  readonly #dependencies: WantedStateDependencies
  #stored: StoredState | undefined
  /** Revision in force. */
  #inForce: string | null = null
  /** Reason why the stored state is not in force. */
  #failure: string | undefined
  /** A state that this version does not understand. */
  #unreadable: { readonly revision: string; readonly names: readonly string[]; readonly reason: string } | undefined

  constructor(dependencies: WantedStateDependencies) {
    this.#dependencies = dependencies
  }

  /** Reads the state on the disk and brings it into force. When it cannot be read, what runs on the host stays as it is. */
  async start(): Promise<void> {
    const { directory, log } = this.#dependencies
    const read = await readStateFile(directory)
    if (typeof read === 'string')
      log.error(`${read}: nothing is changed on this host until the service has sent the state again`)
    else if (read !== undefined) {
      this.#stored = read
      await this.retry()
    }
  }

  /** Revision of the last state that the service sent, which it is told so that it waits for another one. */
  get received(): string | null {
    return this.#unreadable?.revision ?? this.#stored?.revision ?? null
  }

  /** Revision in force; null before the first. */
  get revision(): string | null {
    return this.#inForce
  }

  /** Takes over a state as the service sent it: first on the disk, then in force. Throws when it cannot be written down. */
  async take(revision: string, sent: unknown): Promise<void> {
    const { directory, log } = this.#dependencies
    const { success, data: state, error } = NodeState.safeParse(sent)
    if (!success) {
      const reason = `the service wants what this version of Hearth does not understand (${describeIssue(error)}): update Hearth on the node`
      this.#unreadable = { revision, reason, names: namesIn(sent) }
      log.error(`${reason}; what ran before goes on`)
      return
    }
    // An interface with another key counts as gone, so that its device is known as this node's also after a crash.
    const keyOf = ({ config }: NodeState['interfaces'][number]) => `${config.name} ${config.privateKey}`
    const kept = new Set(state.interfaces.map(keyOf))
    const earlier = [...(this.#stored?.state.interfaces ?? []), ...(this.#stored?.leaving ?? [])]
    const next = { revision, state, leaving: earlier.filter((device) => !kept.has(keyOf(device))) }
    await writeStateFile(directory, next).catch((error: Error) => {
      log.error(`a new state is not taken over, because it cannot be written: ${error.message}`)
      throw error
    })
    this.#stored = next
    this.#unreadable = undefined
    await this.retry()
  }

  /** Brings the stored state into force, unless it is already. */
  async retry(): Promise<void> {
    const { directory, tunnels, page, log } = this.#dependencies
    const stored = this.#stored
    if (stored === undefined || this.#inForce === stored.revision) return
    try {
      await page.narrow(stored.state)
      await tunnels.apply(stored.state, stored.leaving)
      await page.bring(stored.state)
      this.#inForce = stored.revision
      this.#failure = undefined
    } catch (error) {
      const { message } = error as Error
      if (message !== this.#failure) log.error(`the state of this node is not in force yet: ${message}`)
      this.#failure = message
      return
    }
    log.info(`the state ${stored.revision.slice(0, 12)} is in force; interfaces: ${stored.state.interfaces.length}`)
    this.#stored = { ...stored, leaving: tunnels.stillRunning(stored.leaving) }
    if (this.#stored.leaving.length === stored.leaving.length) return
    await writeStateFile(directory, this.#stored).catch((error: Error) => {
      log.error(`interfaces that are gone are looked for again at the next start: ${error.message}`)
    })
  }

  /** Status of each interface, for reports. */
  statuses(): InterfaceStatus[] {
    const failure = this.#unreadable?.reason ?? this.#failure
    const statuses = this.#dependencies.tunnels.statuses()
    if (failure === undefined) return statuses
    const wanted = this.#unreadable?.names ?? this.#stored?.state.interfaces.map(({ config }) => config.name) ?? []
    return [...new Set([...statuses.map(({ name }) => name), ...wanted])].map((name) => ({
      name,
      status: 'error',
      reason: failure,
    }))
  }
}

/** Names of interfaces in a state that could not be parsed. */
function namesIn(sent: unknown): string[] {
  const { interfaces } = (sent ?? {}) as { interfaces?: unknown }
  if (!Array.isArray(interfaces)) return []
  const names = interfaces.map((one: { config?: { name?: unknown } } | null) => one?.config?.name)
  return names.filter((name) => typeof name === 'string' && /^[\w-]{1,15}$/.test(name)) as string[]
}
