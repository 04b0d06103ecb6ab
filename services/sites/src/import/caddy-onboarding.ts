import { formatAdminAddress } from '../deploy/nodes/admin-address.ts'
import type { RunningConfig } from '../deploy/nodes/admin-client.ts'
import { firstNode, type KnownNode, type Nodes, nodeWarnings, readAdminUrl } from '../deploy/nodes/nodes.ts'
import { hashConfig, isBlank } from '../deploy/nodes/running-config.ts'
import { badRequest, conflict, Problem, unavailable } from '../problems.ts'
import type { EditMany } from '../sites/bulk-edit.ts'
import type { SyncedWhole, SyncSites } from '../sites/sync.ts'
import { readConfig } from './config/read-config.ts'
import { readOptionsOf } from './read-node.ts'
import { type ImportTarget, leftOutOf, runImport } from './run-import.ts'
import type { Onboarding, OnboardRequest, OnboardResult } from './schema.ts'

/** Result of importing what a Caddy runs. */
interface Imported {
  readonly count: number
  readonly leftOut: readonly { readonly path: string; readonly message: string }[]
  /** Deletes the imported sites. */
  readonly undo: () => Promise<void>
}

export interface OnboardingDependencies {
  readonly nodes: Nodes
  readonly sync: SyncSites
  /** Stores imported sites without applying them. */
  readonly target: ImportTarget
  /** Edits sites without applying the edit. */
  readonly editMany: EditMany
  readonly setAcmeEmail: (email: string) => Promise<void>
  readonly onOnboarded: (node: KnownNode) => void
}

/** Onboarding of a Caddy that was configured elsewhere. */
export class CaddyOnboarding {
  readonly #dependencies: OnboardingDependencies

  constructor(dependencies: OnboardingDependencies) {
    this.#dependencies = dependencies
  }

  async state(): Promise<Onboarding> {
    const { nodes } = this.#dependencies
    const running = await nodes.inspect(firstNode).catch(() => undefined)
    const node = await nodes.get(firstNode)
    const step = stepOf(node, running)
    return {
      complete: step === 'done',
      step,
      admin_url: node === undefined ? null : formatAdminAddress(node.admin),
      is_own: node?.row.admin === null,
      reachable: running !== undefined,
      error: node?.error ?? null,
      capabilities: node?.capabilities === undefined ? null : { ...node.capabilities },
      is_blank: running === undefined ? null : isBlank(running.config),
      running_sha256: running === undefined ? null : hashConfig(running.config),
      hosts: servedHosts(running?.config).slice(0, 200),
      warnings: node === undefined ? [] : nodeWarnings(node),
    }
  }

  /** Takes the first node over. Nothing is lost without a request. */
  async onboard(request: OnboardRequest, author: string): Promise<OnboardResult> {
    const { nodes } = this.#dependencies
    if (request.admin_url !== undefined) await useAddress(nodes, request.admin_url)
    const node = await nodes.get(firstNode)
    if (node === undefined)
      throw badRequest('admin_url: no Caddy is known yet; say where its admin endpoint is', 'no_node')
    if (stepOf(node, undefined) === 'done') return alreadyManaged(node)
    const running = await inspectOrRefuse(nodes, node)
    checkDecision(request, running)
    if (request.acme_email !== undefined) await this.#dependencies.setAcmeEmail(request.acme_email)
    const imported = await this.#import(request, running, author)
    const synced = await this.#takeOver(node, running, author).catch(async (error: unknown) => {
      await imported.undo()
      throw error
    })
    return {
      status: 'onboarded',
      snapshot_sha256: hashConfig(running.config),
      synced: synced.status === 'synced' || synced.status === 'no_change',
      detail: synced.error ?? `Caddy is managed now; sites imported: ${imported.count}`,
      imported: imported.count,
      left_out: [...imported.leftOut],
    }
  }

  /** Takes over a Caddy that serves nothing, such as the service's own; does nothing for any other. */
  async onboardBlank(): Promise<boolean> {
    const { nodes } = this.#dependencies
    const running = await nodes.inspect(firstNode).catch(() => undefined)
    const node = await nodes.get(firstNode)
    if (running === undefined || node === undefined) return false
    if (node.row.onboarded_at !== null || !isBlank(running.config)) return false
    await this.#takeOver(node, running, 'system')
    return true
  }

  /** Stores the sites of what runs, without applying them. */
  async #import({ mode }: OnboardRequest, { config }: RunningConfig, author: string): Promise<Imported> {
    if (mode !== 'import') return { count: 0, leftOut: [], undo: () => Promise.resolve() }
    const { nodes, target, editMany } = this.#dependencies
    const node = await nodes.get(firstNode)
    const reading = readConfig(config, node === undefined ? {} : readOptionsOf(node))
    const answer = await runImport(reading, target, { isDryRun: false, author })
    const ids = answer.sites.flatMap(({ site_id: id }) => id ?? [])
    return {
      count: answer.counts.created,
      leftOut: leftOutOf(answer),
      undo: async () => void (await editMany({ put: [], remove: ids }, { author, cause: 'import' })),
    }
  }

  async #takeOver(node: KnownNode, { config }: RunningConfig, author: string): Promise<SyncedWhole> {
    const { nodes, sync, onOnboarded } = this.#dependencies
    const { synced } = await nodes.takeOver(node.row.id, config, () =>
      sync.many({ siteIds: [], cause: 'onboarding', author, isUrgent: true }),
    )
    onOnboarded(node)
    return synced
  }
}

/** Returns the next step; `running` is undefined when the node does not answer. */
function stepOf(node: KnownNode | undefined, running: RunningConfig | undefined): Onboarding['step'] {
  const isDecided = node !== undefined && node.row.onboarded_at !== null
  if (isDecided && node.row.expected_sha !== null) return 'done'
  if (running === undefined) return 'node'
  return isDecided ? 'apply' : 'decision'
}

function alreadyManaged({ row }: KnownNode): OnboardResult {
  return {
    status: 'already_managed',
    snapshot_sha256: row.baseline_sha,
    synced: true,
    detail: 'This Caddy is managed already',
    imported: 0,
    left_out: [],
  }
}

async function useAddress(nodes: Nodes, text: string): Promise<void> {
  const admin = readAdminUrl(text)
  const node = await nodes.get(firstNode)
  if (node !== undefined && formatAdminAddress(node.admin) === admin) return
  if (stepOf(node, undefined) === 'done')
    throw conflict(
      'admin_url: another Caddy is managed already; further ones are servers of their own',
      'already_managed',
    )
  await nodes.update(firstNode, { admin })
}

async function inspectOrRefuse(nodes: Nodes, node: KnownNode): Promise<RunningConfig> {
  try {
    return await nodes.inspect(node.row.id)
  } catch (error) {
    throw unavailable(`The admin endpoint of Caddy does not answer: ${(error as Error).message}`, {
      code: 'admin_unreachable',
    })
  }
}

/** A Caddy that serves something is only replaced when the administrator decides and confirms. */
function checkDecision({ mode, confirm_exclusive: isConfirmed }: OnboardRequest, { config }: RunningConfig): void {
  if (isBlank(config)) return
  if (mode === undefined)
    throw conflict(
      'mode: this Caddy serves something already; say whether it is to be imported or replaced',
      'mode_required',
    )
  if (isConfirmed !== true)
    throw new Problem(409, 'confirm_exclusive: say that this service alone changes the configuration from now on', {
      code: 'confirmation_required',
    })
}

/** Every host name that routes of a configuration match, sorted. Takes any JSON. */
function servedHosts(config: unknown): string[] {
  const found = new Set<string>()
  const queue: unknown[] = [(config as { apps?: { http?: unknown } } | null | undefined)?.apps?.http]
  while (queue.length > 0) {
    const value = queue.pop()
    if (value === null || typeof value !== 'object') continue
    const { host } = value as { host?: unknown }
    if (Array.isArray(host)) for (const name of host) if (typeof name === 'string') found.add(name)
    for (const member of Object.values(value) as unknown[]) queue.push(member)
  }
  return [...found].sort()
}
