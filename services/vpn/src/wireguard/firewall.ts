import { createHash } from 'node:crypto'
import { createKeyedQueue } from '@hearth/runtime'
import type { RunCommand } from './command.ts'
import { DeviceError } from './device.ts'
import type { InterfaceRules } from './firewall-rules.ts'
import type { RaiseForwarding } from './forwarding.ts'
import { encodeElementChange, encodeRemoval, encodeTable } from './nft-text.ts'

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

/** What the table should hold and what it looked like after it was written. */
interface Applied {
  readonly rules: readonly InterfaceRules[]
  readonly hash: string
}

/** A firewall through `nft`, one file a change. Calls wait for each other. */
export function createFirewall(run: RunCommand, raiseForwarding: RaiseForwarding): Firewall {
  const queue = createKeyedQueue(1000)
  let applied: Applied | undefined

  async function write(file: string, rules: readonly InterfaceRules[]): Promise<void> {
    await run('nft', ['-f', '/dev/stdin'], { secretInput: file })
    const hash = await hashOf(run)
    if ((hash === noTable) !== (rules.length === 0)) throw new DeviceError('nft took the rules but does not hold them')
    applied = { rules, hash }
  }

  async function apply(rules: readonly InterfaceRules[]): Promise<void> {
    await raiseForwarding(rules)
    const table = fileFor(rules)
    const change = applied === undefined ? undefined : encodeElementChange(applied.rules, rules)
    if (change === '') return
    // Elements that were changed by hand make a change of elements fail as a whole; the table is replaced then.
    if (change !== undefined && (await write(change, rules).then(isDone, isFailed))) return
    await write(table, rules)
  }

  const inTurn = <T>(work: () => Promise<T>) => queue.run('table', work)
  return {
    apply: (rules) => inTurn(() => apply(rules)),
    hasDrifted: () => inTurn(async () => applied !== undefined && (await hashOf(run)) !== applied.hash),
    repair: () =>
      inTurn(async () => {
        if (applied !== undefined) await write(fileFor(applied.rules), applied.rules)
      }),
    remove: () => inTurn(() => write(encodeRemoval(), [])),
  }
}

const isDone = () => true
const isFailed = () => false

/** The firewall of simulated interfaces: there is nothing to protect. */
export function createSimulatedFirewall(): Firewall {
  const nothing = () => Promise.resolve()
  return { apply: nothing, hasDrifted: () => Promise.resolve(false), repair: nothing, remove: nothing }
}

function fileFor(rules: readonly InterfaceRules[]): string {
  return rules.length === 0 ? encodeRemoval() : encodeTable(rules)
}

const noTable = 'no table'

/** Stands for the table as `nft` lists it, without counters; a missing table has a value of its own. */
async function hashOf(run: RunCommand): Promise<string> {
  try {
    const listing = await run('nft', ['-s', 'list', 'table', 'inet', 'hearth_vpn'])
    return createHash('sha256').update(listing).digest('hex')
  } catch (error) {
    if (error instanceof DeviceError && /No such file or directory/.test(error.message)) return noTable
    throw error
  }
}
