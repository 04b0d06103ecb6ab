import { setTimeout as pause } from 'node:timers/promises'
import { isNotUnderstood } from '../caddy/capabilities.ts'
import type { AdminClient, ReplaceOutcome, RunningConfig } from './nodes/admin-client.ts'
import { AdminUnknown, AdminUnreachable } from './nodes/admin-request.ts'
import { hashConfig, isBlank, isRunning, type SettledConfig } from './nodes/running-config.ts'

/** The compiled configuration of one node. */
export interface Compiled {
  readonly config: object
  readonly settled: SettledConfig
  /** The site that an error of Caddy is about, if it is about one. */
  locateError(text: string): number | undefined
}

/** The configuration that a node is known to run. Its text is large, and read for a roll-back alone. */
export interface ExpectedConfig {
  readonly sha: string
  readText(): Promise<string>
}

/** Snapshot of a node: the tag of what ran, and its hash. */
export interface NodeSnapshot {
  readonly etag: string
  readonly sha: string
}

/** Applying a change to one node: the wanted configuration, and how to compile it without the sites that Caddy refuses. */
export interface NodeTask {
  readonly client: AdminClient
  /** Configuration after the last successful change; undefined before the first. */
  readonly expected: ExpectedConfig | undefined
  /** Last snapshot. A change may be sent without reading again: the tag says whether it still holds. */
  readonly last?: NodeSnapshot | undefined
  /**
   * Hashes of configurations that are no surprise: what ran before the service took over, which comes back when Caddy restarts
   * from its own file, and what was announced by a run that ended before the answer.
   */
  readonly familiar: ReadonlySet<string>
  /** Overwrites changes of other clients. */
  readonly isForced: boolean
  /** Sites that were refused before as they are, with Caddy's messages: not tried again. */
  readonly refused: ReadonlyMap<number, string>
  /** Records the hash of the configuration before it is sent. */
  announce(sha: string): Promise<void>
  /** Finds out whether this is another version than configurations were compiled for. True when compiling gives another now. */
  adjust(): Promise<boolean>
  /** Compiles with these sites as they were last applied, or left out when they never were. */
  compile(quarantined: ReadonlyMap<number, string>): Compiled
  /** Checks what is served now; returns what is wrong. */
  check(quarantined: ReadonlyMap<number, string>): Promise<string | undefined>
}

/** Outcome of applying a change to one node. */
export type NodeOutcome =
  | {
      readonly kind: 'applied'
      /** False when it ran already. */
      readonly isChanged: boolean
      readonly settled: SettledConfig
      readonly snapshot: NodeSnapshot
      /** Sites that Caddy refuses, each with its message. */
      readonly quarantined: ReadonlyMap<number, string>
    }
  /** Caddy refused the whole configuration for a reason other than a single site; the previous one keeps running. */
  | { readonly kind: 'rejected'; readonly text: string; readonly quarantined: ReadonlyMap<number, string> }
  /** Accepted, but the check failed; the previous configuration was restored. */
  | { readonly kind: 'rolled-back'; readonly text: string; readonly quarantined: ReadonlyMap<number, string> }
  /** Another client changed the configuration; nothing was overwritten. */
  | { readonly kind: 'drifted'; readonly running: unknown }
  | { readonly kind: 'unreachable' | 'unknown'; readonly text: string }

/** Maximum number of sites quarantined in one change. */
const maxQuarantined = 50
/** Attempts when another client changes the configuration between reading and replacing. */
const maxRaces = 5

/**
 * Brings one node to what it is to run, by one compare-and-replace. A site that Caddy refuses is quarantined and the rest goes
 * on; what fails the check afterwards is rolled back. Never throws for failures of Caddy.
 */
export async function applyToNode(task: NodeTask): Promise<NodeOutcome> {
  try {
    return await attempt(task)
  } catch (error) {
    if (error instanceof AdminUnreachable) return { kind: 'unreachable', text: error.message }
    if (error instanceof AdminUnknown) return { kind: 'unknown', text: error.message }
    throw error
  }
}

async function attempt(task: NodeTask): Promise<NodeOutcome> {
  const quarantined = new Map(task.refused)
  let compiled = task.compile(quarantined)
  let { settled } = compiled
  const recompile = () => {
    compiled = task.compile(quarantined)
    ;({ settled } = compiled)
  }
  let mayAdjust = true
  const adjust = async () => {
    const isOther = mayAdjust && (await task.adjust())
    mayAdjust = false
    if (isOther) recompile()
    return isOther
  }
  for (let races = 0; races < maxRaces;) {
    const before = (races === 0 ? remembered(task, settled) : undefined) ?? (await readBefore(task.client, settled))
    if (before.sha === settled.sha) return { kind: 'applied', isChanged: false, settled, snapshot: before, quarantined }
    if (await isForeign(task, before)) return { kind: 'drifted', running: await before.readConfig() }
    if (await isRestarted(task, before)) await adjust()
    await task.announce(settled.sha)
    const outcome = await replace(task.client, settled, before)
    if (outcome.kind === 'changed') races += 1
    else if (outcome.kind === 'rejected' && isPassing(outcome.text) && races < maxRaces - 1) {
      races += 1
      await pause(passingMs)
    } else if (outcome.kind === 'accepted') {
      const confirmed = await confirm(task, { config: compiled.config, settled, before, quarantined })
      if (confirmed !== undefined) return confirmed
      races += 1
    } else if (!isNotUnderstood(outcome.text) || !(await adjust())) {
      const site = compiled.locateError(outcome.text)
      if (site === undefined || quarantined.has(site) || quarantined.size >= task.refused.size + maxQuarantined)
        return { kind: 'rejected', text: outcome.text, quarantined }
      quarantined.set(site, outcome.text)
      recompile()
    }
  }
  return { kind: 'unknown', text: 'somebody else keeps changing the configuration' }
}

/** Wait before trying again after a failure that passes by itself, milliseconds. */
const passingMs = 200

/** Caddy keeps certificates while it serves; a load that comes at that moment reads half of one, and is refused for it. */
const isPassing = (text: string): boolean => text.includes('decoding certificate metadata')

/** Configuration that runs before a change. */
interface Before extends NodeSnapshot {
  readText(): Promise<string>
  readConfig(): Promise<unknown>
}

async function readBefore(client: AdminClient, settled: SettledConfig): Promise<Before> {
  const running = await client.readConfig()
  const sha = isRunning(settled, running) ? settled.sha : hashConfig(running.config)
  return {
    etag: running.etag,
    sha,
    readText: () => Promise.resolve(running.text),
    readConfig: () => Promise.resolve(running.config),
  }
}

/** Returns the expected configuration when the last snapshot confirmed it and there is something to send. The tag guards against later changes. */
function remembered({ last, expected }: NodeTask, settled: SettledConfig): Before | undefined {
  if (last === undefined || expected === undefined || last.sha !== expected.sha) return undefined
  if (last.sha === settled.sha) return undefined
  return {
    ...last,
    readText: () => expected.readText(),
    readConfig: async () => JSON.parse(await expected.readText()) as unknown,
  }
}

/** Returns true when the node runs nothing any more, and may be another version. The expected configuration is large and not parsed. */
async function isRestarted({ expected }: NodeTask, before: Before): Promise<boolean> {
  return expected !== undefined && before.sha !== expected.sha && isBlank(await before.readConfig())
}

async function isForeign({ expected, familiar, isForced }: NodeTask, before: Before): Promise<boolean> {
  if (isForced || before.sha === expected?.sha || familiar.has(before.sha)) return false
  return !isBlank(await before.readConfig())
}

/** Replaces what runs; when no answer comes, reads what runs instead of guessing. */
async function replace(client: AdminClient, settled: SettledConfig, before: Before): Promise<ReplaceOutcome> {
  try {
    return await client.replaceConfig(settled.text, before.etag)
  } catch (error) {
    if (!(error instanceof AdminUnknown)) throw error
    const after = await readAgain(client, error)
    if (isRunning(settled, after)) return { kind: 'accepted' }
    // The same as before, or reset by a restart: trying again is safe.
    if (isBlank(after.config) || isRunning({ sha: before.sha, text: await before.readText() }, after))
      return { kind: 'changed' }
    throw error
  }
}

async function readAgain(client: AdminClient, unknown: AdminUnknown): Promise<RunningConfig> {
  for (const wait of [0, 100, 300, 1000, 2000]) {
    await pause(wait)
    const running = await client.readConfig().catch(() => undefined)
    if (running !== undefined) return running
  }
  throw unknown
}

/** A configuration that Caddy has just taken. */
interface Taken {
  readonly config: object
  readonly settled: SettledConfig
  /** Configuration that ran until then. */
  readonly before: Before
  readonly quarantined: ReadonlyMap<number, string>
}

/** Checks what runs and what is served now. Undefined when Caddy has been restarted since and runs nothing. */
async function confirm(task: NodeTask, taken: Taken): Promise<NodeOutcome | undefined> {
  const { settled, quarantined } = taken
  // Caddy accepted it, so an unreachable Caddy says nothing about what will run.
  const running = await readAgain(task.client, new AdminUnknown('Caddy took the change and then did not answer'))
  if (!isRunning(settled, running))
    return isBlank(running.config) ? undefined : { kind: 'drifted', running: running.config }
  const text = await task.check(quarantined)
  const snapshot = { etag: running.etag, sha: settled.sha }
  if (text === undefined) return { kind: 'applied', isChanged: true, settled, snapshot, quarantined }
  return await rollBack(task, { ...taken, after: running, text })
}

/** Restores the previous configuration, unless another client changed it meanwhile. */
async function rollBack(
  { client, expected }: NodeTask,
  { before, after, config, quarantined, text }: Taken & { after: RunningConfig; text: string },
): Promise<NodeOutcome> {
  const { admin } = config as { admin?: object }
  // A Caddy that ran nothing, because it had been restarted, gets what it ran before that.
  const earlier = (await before.readConfig()) as object | null
  const last = isBlank(earlier) ? await expected?.readText() : await before.readText()
  const outcome = await client.replaceConfig(last ?? earlier ?? { admin }, after.etag)
  if (outcome.kind === 'accepted') return { kind: 'rolled-back', text, quarantined }
  if (outcome.kind === 'changed') return { kind: 'drifted', running: (await client.readConfig()).config }
  return { kind: 'unknown', text: `${text}; what ran before is not taken any more: ${outcome.text}` }
}
