import { createKeyedQueue } from '@hearth/runtime'
import type { RunCommand } from '../../wireguard/command.ts'
import { type Backend, DeviceError } from '../../wireguard/device.ts'
import { encodeRuleset, encodeRulesetChange, encodeRulesetRemoval, tableName } from './nft-change.ts'
import { isOpen, type Policy } from './policy.ts'
import { PolicyCompiler } from './ruleset.ts'
import { dynamic, type Ruleset } from './ruleset-parts.ts'
import { frameOf, readElements } from './read-table.ts'

/** Access rules as a table of the host's firewall. It is there while a policy is not open. */
export interface AccessTable {
  /** Puts a policy in force in one step. Throws a `DeviceError`; nothing changed then. */
  apply(policy: Policy): Promise<void>
  /** The same for a policy that holds in any case: when it fails, a repair writes it. */
  replace(policy: Policy): Promise<void>
  /** True when the table is no longer what it was left as. */
  hasDrifted(): Promise<boolean>
  /** Writes the table again, whatever it holds now. */
  repair(): Promise<void>
  /** Takes the table away. */
  remove(): Promise<void>
}

/** Contents that were written, undefined without a table; and what nft lists of them without elements. */
interface Written {
  readonly ruleset: Ruleset | undefined
  /** Unread right after a change: a listing takes ten times as long as the change, and is taken behind it. */
  readonly frame: string | undefined | typeof unread
}

const unread = Symbol('unread')

/** Milliseconds for one run of nft; a whole table of 10 000 peers takes one second. */
const timeout = 30_000

/** Bytes that nft lists of a table whose memory of decisions is full. */
const maxOutput = 64 * 1024 * 1024

/** A table of access rules through `nft`, one file a change. Calls wait for each other. */
class NftAccessTable implements AccessTable {
  readonly #run: RunCommand
  readonly #queue = createKeyedQueue(1000)
  readonly #compiler = new PolicyCompiler()
  #wanted: Ruleset | undefined
  /** Undefined while it is not known what the table holds. */
  #written: Written | undefined
  #turn: 'a' | 'b' = 'a'
  /** Number of calls there were. */
  #calls = 0
  #isReading = false

  constructor(run: RunCommand) {
    this.#run = run
  }

  apply(policy: Policy): Promise<void> {
    return this.#withLock(() => this.#apply(policy))
  }

  replace(policy: Policy): Promise<void> {
    return this.#withLock(async () => {
      this.#wanted = isOpen(policy) ? undefined : this.#compiler.compile(policy, this.#turn)
      await this.#apply(policy)
    })
  }

  hasDrifted(): Promise<boolean> {
    return this.#withLock(async () => {
      await this.#readBack()
      if (this.#written === undefined) return true
      const { ruleset, frame } = this.#written
      if (ruleset === undefined) return false
      return (await listFrame(this.#run)) !== frame || !(await holdsElements(this.#run, ruleset))
    })
  }

  repair(): Promise<void> {
    return this.#withLock(() => this.#writeWhole(this.#wanted))
  }

  remove(): Promise<void> {
    return this.#withLock(async () => {
      this.#wanted = undefined
      await this.#writeWhole(undefined)
    })
  }

  async #apply(policy: Policy): Promise<void> {
    if (isOpen(policy)) {
      if (this.#written === undefined || this.#written.ruleset !== undefined) await this.#writeWhole(undefined)
      this.#wanted = undefined
      return
    }
    const turn = this.#turn === 'a' ? 'b' : 'a'
    const ruleset = this.#compiler.compile(policy, turn)
    const known = this.#written?.ruleset
    if (known !== undefined && isSameFrame(known, ruleset) && hasSameElements(known, ruleset)) return
    if (known === undefined) await this.#writeWhole(ruleset)
    else await this.#writeChange(known, ruleset)
    this.#turn = turn
    this.#wanted = ruleset
  }

  async #writeWhole(ruleset: Ruleset | undefined): Promise<void> {
    // Most hosts have no rules: nothing is written where nothing is.
    const isThere = ruleset !== undefined || (await listFrame(this.#run)) !== undefined
    this.#written = undefined
    if (isThere) await this.#runFile(ruleset === undefined ? encodeRulesetRemoval() : encodeRuleset(ruleset))
    await this.#remember(ruleset)
  }

  async #writeChange(known: Ruleset, ruleset: Ruleset): Promise<void> {
    // The table was changed by hand when it cannot be changed; it is replaced then.
    const isChanged = await this.#runFile(encodeRulesetChange(known, ruleset)).then(
      () => true,
      () => false,
    )
    if (!isChanged) await this.#writeWhole(ruleset)
    // A listing grows with the rules, and stays the same while only elements change.
    else if (isSameFrame(known, ruleset)) this.#written = { ruleset, frame: this.#written?.frame }
    else this.#written = { ruleset, frame: unread }
  }

  /** Reads back what nft made of a change, beside the calls that follow; when another change comes meanwhile, it begins anew. */
  #readSoon(): void {
    if (this.#written?.frame !== unread || this.#isReading) return
    this.#isReading = true
    void this.#readBeside(this.#written.ruleset, this.#calls)
  }

  async #readBeside(ruleset: Ruleset | undefined, calls: number): Promise<void> {
    const frame = await listFrame(this.#run).catch(() => undefined)
    this.#isReading = false
    if (this.#written?.frame !== unread) return
    if (this.#calls !== calls || this.#written.ruleset !== ruleset) return this.#readSoon()
    // Without a frame it is not known what the table holds.
    this.#written = frame === undefined ? undefined : { ruleset, frame }
  }

  async #readBack(): Promise<void> {
    if (this.#written?.frame !== unread) return
    const { ruleset } = this.#written
    // When it cannot be read, it is not known what the table holds.
    this.#written = undefined
    await this.#remember(ruleset).catch(() => undefined)
  }

  async #remember(ruleset: Ruleset | undefined): Promise<void> {
    const frame = ruleset === undefined ? undefined : await listFrame(this.#run)
    if (ruleset !== undefined && frame === undefined) throw new DeviceError('nft took the access rules but lacks them')
    this.#written = { ruleset, frame }
  }

  async #runFile(file: string): Promise<void> {
    await this.#run('nft', ['-f', '/dev/stdin'], { secretInput: file, timeout })
  }

  #withLock<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1
    return this.#queue.run('table', async () => {
      try {
        return await work()
      } finally {
        this.#readSoon()
      }
    })
  }
}

/** The access rules of simulated interfaces, which do nothing. */
function createSimulatedAccessTable(): AccessTable {
  const nothing = () => Promise.resolve()
  return {
    apply: nothing,
    replace: nothing,
    hasDrifted: () => Promise.resolve(false),
    repair: nothing,
    remove: nothing,
  }
}

function isSameFrame(one: Ruleset, other: Ruleset): boolean {
  const textOf = ({ sets, chains }: Ruleset) =>
    [
      ...[...sets.keys()].map((name) => `\n\tset ${name}`),
      ...[...chains].map(([name, lines]) => `\n\tchain ${name} ${lines.join('\n')}`),
    ].join('')
  return frameOf(textOf(one)) === frameOf(textOf(other))
}

/** True when the sets and maps in the kernel hold what the ruleset says. */
async function holdsElements(run: RunCommand, { sets }: Ruleset): Promise<boolean> {
  const list = (...what: string[]) => run('nft', ['-s', 'list', ...what], { timeout, maxOutput })
  let text = await list('sets', 'table', ...tableName.split(' '))
  for (const [name, { kind }] of sets) if (kind === 'map') text += await list('map', ...tableName.split(' '), name)
  const listed = readElements(text)
  // Networks are printed in other words, and decisions come and go.
  return [...sets].every(([name, { flags, elements }]) => flags.length > 0 || isSame(elements, listed.get(name)))
}

function hasSameElements(one: Ruleset, other: Ruleset): boolean {
  return [...other.sets].every(
    ([name, { flags, elements }]) => flags.includes(dynamic) || isSame(elements, one.sets.get(name)?.elements),
  )
}

function isSame(wanted: ReadonlyMap<string, string>, listed: ReadonlyMap<string, string> | undefined): boolean {
  if (wanted === listed) return true
  return wanted.size === (listed?.size ?? 0) && [...wanted].every(([key, verdict]) => listed?.get(key) === verdict)
}

/** The table of access rules for a data plane. */
export const openAccessTable = (backend: Backend, run: RunCommand): AccessTable =>
  backend === 'simulated' ? createSimulatedAccessTable() : new NftAccessTable(run)

/** Stands for everything in the table but elements; undefined when there is no table. */
async function listFrame(run: RunCommand): Promise<string | undefined> {
  try {
    return frameOf(await run('nft', ['-s', '-t', 'list', 'table', ...tableName.split(' ')], { timeout }))
  } catch (error) {
    if (error instanceof DeviceError && /No such file or directory/.test(error.message)) return undefined
    throw error
  }
}
