import { createKeyedQueue } from '@hearth/runtime'
import type { RunCommand } from './command.ts'
import { DeviceError } from './device.ts'
import type { RaiseForwarding } from './forwarding.ts'
import { encodeElementChange, encodeRemoval, encodeTable, readListing } from './nft-text.ts'

/** NAT, forwarding and isolation of all running interfaces, as one table of the host's firewall. */
export interface Firewall {
  /** Makes the table say exactly this, in one step; does nothing when it does already. Throws a `DeviceError`. */
  apply(rules: readonly InterfaceRules[]): Promise<void>
  /** True when the table is no longer what the last `apply` left. */
  hasDrifted(): Promise<boolean>
  /** Writes the table of the last `apply` again, whatever it holds now. */
  repair(): Promise<void>
  /** Takes the table away. */
  remove(): Promise<void>
}

/** Wanted contents of the table, and its listing by nft without the isolated addresses; undefined without a table. */
interface Applied {
  readonly rules: readonly InterfaceRules[]
  readonly frame: string | undefined
}

/** A firewall through `nft`, one file a change. Calls wait for each other. */
export function createFirewall(run: RunCommand, raiseForwarding: RaiseForwarding): Firewall {
  const queue = createKeyedQueue(1000)
  let applied: Applied | undefined

  async function write(file: string, rules: readonly InterfaceRules[]): Promise<void> {
    await run('nft', ['-f', '/dev/stdin'], { secretInput: file })
    const listing = await listTable(run)
    if ((listing === undefined) !== (rules.length === 0)) {
      throw new DeviceError('nft took the rules but does not hold them')
    }
    applied = { rules, frame: listing?.frame }
  }

  /** Isolated addresses come and go without a listing, which grows with them; the next check for drift compares them. */
  async function writeElements(file: string, rules: readonly InterfaceRules[], before: Applied): Promise<void> {
    await run('nft', ['-f', '/dev/stdin'], { secretInput: file })
    applied = { rules, frame: before.frame }
  }

  async function hasDrifted({ rules, frame }: Applied): Promise<boolean> {
    const listing = await listTable(run)
    return listing?.frame !== frame || (listing !== undefined && !listing.holds(rules))
  }

  async function apply(rules: readonly InterfaceRules[]): Promise<void> {
    await raiseForwarding(rules)
    if (applied !== undefined) {
      const change = encodeElementChange(applied.rules, rules)
      if (change === '') return
      // Elements that were changed by hand make a change of elements fail as a whole; the table is replaced then.
      if (
        change !== undefined &&
        (await writeElements(change, rules, applied).then(
          () => true,
          () => false,
        ))
      )
        return
    }
    await write(fileFor(rules), rules)
  }

  const withLock = <T>(work: () => Promise<T>) => queue.run('table', work)
  return {
    apply: (rules) => withLock(() => apply(rules)),
    hasDrifted: () => withLock(async () => applied !== undefined && (await hasDrifted(applied))),
    repair: () =>
      withLock(async () => {
        if (applied !== undefined) await write(fileFor(applied.rules), applied.rules)
      }),
    remove: () => withLock(() => write(encodeRemoval(), [])),
  }
}

/** The firewall of simulated interfaces, which does nothing. */
export function createSimulatedFirewall(): Firewall {
  const nothing = () => Promise.resolve()
  return { apply: nothing, hasDrifted: () => Promise.resolve(false), repair: nothing, remove: nothing }
}

function fileFor(rules: readonly InterfaceRules[]): string {
  return rules.length === 0 ? encodeRemoval() : encodeTable(rules)
}

/** The table as nft lists it, without counters; undefined when there is none. */
async function listTable(run: RunCommand) {
  try {
    return readListing(await run('nft', ['-s', 'list', 'table', 'inet', 'hearth_vpn']))
  } catch (error) {
    if (error instanceof DeviceError && /No such file or directory/.test(error.message)) return undefined
    throw error
  }
}

/** The firewall of one running interface, as the operator set it. */
export interface InterfaceRules {
  readonly name: string
  /** Networks of the interface in CIDR form without host bits, IPv4 first. */
  readonly subnets: readonly string[]
  /** Networks behind peers in CIDR form, sorted. */
  readonly networks: readonly string[]
  /** Masquerade what leaves the host from `subnets` and `networks`, tunnels of the same interface excepted. */
  readonly nat: boolean
  /** Let peers reach beyond the host (other networks, other peers). */
  readonly forwarding: boolean
  /** Addresses of isolated peers, which reach neither other peers nor the host, except for DNS. */
  readonly isolated: readonly string[]
  /** The page for the peers of this interface, which is reached through it and from nowhere else; left out without one. */
  readonly page?: { readonly port: number; readonly addresses: readonly string[] } | undefined
}

/** The rules of the running interfaces, kept together because the firewall is written as a whole. */
export class GuardedRules {
  readonly #firewall: Firewall
  readonly #inForce = new Map<string, InterfaceRules>()

  /** Starts with no interface running. */
  constructor(firewall: Firewall) {
    this.#firewall = firewall
  }

  of(name: string): InterfaceRules | null {
    return this.#inForce.get(name) ?? null
  }

  /** Puts one interface's rules in force, or takes them away with null. On failure nothing is changed. */
  async set(name: string, rules: InterfaceRules | null): Promise<void> {
    const before = this.of(name)
    this.#keep(name, rules)
    try {
      await this.#firewall.apply([...this.#inForce.values()])
    } catch (error) {
      this.#keep(name, before)
      throw error
    }
  }

  /**
   * Starts over with the rules of all interfaces at once, so that after a restart of the service no interface waits without
   * its isolation for the others to be checked.
   */
  async startWith(all: readonly InterfaceRules[]): Promise<void> {
    this.#inForce.clear()
    for (const rules of all) this.#inForce.set(rules.name, rules)
    await this.#firewall.apply(all)
  }

  /**
   * Runs a change of peers while both their old and their new isolation holds, then leaves the new rules in force; on failure
   * the old ones. So no peer is ever on the tunnel without its isolation.
   */
  async during<T>(name: string, rules: InterfaceRules | null, work: () => Promise<T>): Promise<T> {
    if (rules === null) return work()
    const before = this.of(name)
    await this.set(name, { ...rules, isolated: [...new Set([...(before?.isolated ?? []), ...rules.isolated])] })
    try {
      const result = await work()
      await this.set(name, rules)
      return result
    } catch (error) {
      await this.set(name, before).catch(() => undefined)
      throw error
    }
  }

  #keep(name: string, rules: InterfaceRules | null): void {
    if (rules === null) this.#inForce.delete(name)
    else this.#inForce.set(name, rules)
  }
}
