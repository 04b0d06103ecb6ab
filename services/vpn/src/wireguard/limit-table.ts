import { createKeyedQueue } from '@hearth/runtime'
import type { RunCommand } from './command.ts'
import { DeviceError } from './device.ts'
import {
  encodeLimitChange,
  encodeLimitRemoval,
  encodeLimitTable,
  hasNetworks,
  type PeerLimit,
  readLimitListing,
} from './limit-text.ts'

/** Bandwidth limits of peers, as a table of the host's firewall. It is there while a peer has a limit. */
export interface LimitTable {
  /** Makes the table hold exactly these limits. Throws a `DeviceError`; a repair then writes them. */
  replace(limits: readonly PeerLimit[]): Promise<void>
  /** Exchanges the limits of the peers with these ids for those given, in one step. Throws a `DeviceError`; nothing changed then. */
  change(ids: readonly string[], limits: readonly PeerLimit[]): Promise<void>
  /** True when the table is no longer what it was left as. */
  hasDrifted(): Promise<boolean>
  /** Writes the table again, whatever it holds now. */
  repair(): Promise<void>
  /** Takes the table away. */
  remove(): Promise<void>
}

type Limits = ReadonlyMap<string, PeerLimit>

/** A table of limits through `nft`, one file a change. Calls wait for each other. */
export function createLimitTable(run: RunCommand): LimitTable {
  const queue = createKeyedQueue(1000)
  let wanted: Limits = new Map()
  /** The table without its elements as nft lists it; undefined without a table, null when it is not known. */
  let frame: string | undefined | null = null

  const runFile = (file: string) => run('nft', ['-f', '/dev/stdin'], { secretInput: file })

  async function write(limits: Limits): Promise<void> {
    // Most hosts have no limits: nothing is written where nothing is.
    if (limits.size === 0 && (await listTable(run)) === undefined) {
      frame = undefined
      return
    }
    frame = null
    await runFile(limits.size === 0 ? encodeLimitRemoval() : encodeLimitTable(limits.values()))
    const listing = await listTable(run)
    if ((listing === undefined) !== (limits.size === 0)) throw new DeviceError('nft took the limits but lacks them')
    frame = listing?.frame
  }

  async function change(ids: readonly string[], limits: readonly PeerLimit[]): Promise<void> {
    const before = ids.flatMap((id) => wanted.get(id) ?? [])
    const next = new Map(wanted)
    for (const id of ids) next.delete(id)
    for (const limit of limits) next.set(limit.id, limit)
    const file = encodeLimitChange(before, limits)
    if (file === '') return
    // The table was changed by hand when its elements cannot be; it is replaced then.
    const isOtherFrame = hasNetworks(wanted.values()) !== hasNetworks(next.values())
    const isWhole = frame === null || frame === undefined || next.size === 0 || isOtherFrame
    if (isWhole || !(await succeeds(runFile(file)))) await write(next)
    wanted = next
  }

  async function hasDrifted(): Promise<boolean> {
    if (frame === null) return true
    if (frame === undefined) return false
    const listing = await listTable(run)
    return listing?.frame !== frame || !listing.holds(wanted.values())
  }

  const withLock = <T>(work: () => Promise<T>) => queue.run('table', work)
  return {
    replace: (limits) =>
      withLock(async () => {
        const next = new Map(limits.map((limit) => [limit.id, limit]))
        const isSame = frame !== null && encodeLimitChange(wanted.values(), next.values()) === ''
        wanted = next
        if (!isSame) await write(next)
      }),
    change: (ids, limits) => withLock(() => change(ids, limits)),
    hasDrifted: () => withLock(hasDrifted),
    repair: () => withLock(() => write(wanted)),
    remove: () => withLock(() => write((wanted = new Map()))),
  }
}

/** The limits of simulated interfaces, which do nothing. */
export function createSimulatedLimitTable(): LimitTable {
  const nothing = () => Promise.resolve()
  return {
    replace: nothing,
    change: nothing,
    hasDrifted: () => Promise.resolve(false),
    repair: nothing,
    remove: nothing,
  }
}

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** The table as nft lists it; undefined when there is none. */
async function listTable(run: RunCommand) {
  try {
    return readLimitListing(await run('nft', ['-s', 'list', 'table', 'inet', 'hearth_vpn_limits']))
  } catch (error) {
    if (error instanceof DeviceError && /No such file or directory/.test(error.message)) return undefined
    throw error
  }
}
