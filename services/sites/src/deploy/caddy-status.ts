import type { Kysely } from 'kysely'
import type { ReadyChecks } from '../problems.ts'
import { countStates } from '../sites/store.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { DriftWatch } from './drift.ts'
import { formatAdminAddress } from './nodes/admin-address.ts'
import { firstNode, type KnownNode, type Nodes } from './nodes/nodes.ts'
import { hashConfig } from './nodes/running-config.ts'
import type { CaddyStatus } from './schema.ts'

/** Checks whether the service can do its work. Never throws; a check that fails is false. */
export type Readiness = ReturnType<typeof createReadiness>

/** The first reason why the service is not ready, in words that reveal nothing to unknown callers. */
export function reasonNotReady({ runtime, onboarding }: ReadyChecks): string {
  if (!runtime) return 'The service is not ready'
  return onboarding ? 'Admin API unavailable' : 'Onboarding is required'
}

interface Servers {
  readonly nodes: Pick<Nodes, 'inspect' | 'get'>
  readonly drift: Pick<DriftWatch, 'of' | 'check'>
}

/** Creates the readiness check: what runs is known, onboarding is complete, and the admin endpoint answers. */
export function createReadiness({ nodes, drift }: Servers, isSetUp: () => Promise<boolean>) {
  let checking: Promise<ReadyChecks> | undefined

  async function checkNow(): Promise<ReadyChecks> {
    try {
      const isReachable = await nodes.inspect(firstNode).then(
        () => true,
        () => false,
      )
      const isTaken = isManaged(await nodes.get(firstNode))
      return {
        runtime: drift.of(firstNode) === undefined,
        onboarding: isTaken && (await isSetUp()),
        admin_api: isReachable,
      }
    } catch {
      return { runtime: false, onboarding: false, admin_api: false }
    }
  }

  return {
    // Unauthenticated callers may call this at any rate, so concurrent calls share one query of Caddy.
    check: (): Promise<ReadyChecks> => (checking ??= checkNow().finally(() => (checking = undefined))),
  }
}

/** Reads the state of the first Caddy server, which is inspected now. */
export async function readCaddyStatus(db: Kysely<SiteTables>, { nodes, drift }: Servers): Promise<CaddyStatus> {
  const running = await nodes.inspect(firstNode).catch(() => undefined)
  const node = await nodes.get(firstNode)
  const { pending, failed } = await countStates(db)
  const isTaken = isManaged(node)
  const expected = node?.row.expected_sha ?? null
  const isForeign = isTaken && running !== undefined && hashConfig(running.config) !== expected
  // A change found here is published at once, instead of at the next check of the watch.
  if (isForeign && drift.of(firstNode) === undefined) await drift.check()
  return {
    managed: isTaken,
    onboarding_required: !isTaken,
    admin_api_reachable: running !== undefined,
    admin_url: node === undefined ? null : formatAdminAddress(node.admin),
    last_synced_config_sha256: expected,
    drifted: isForeign || drift.of(firstNode) !== undefined,
    pending_sites: pending,
    failed_sites: failed,
    error: node?.error ?? null,
  }
}

/** Returns true when a node was taken over and something was applied to it. */
export function isManaged(node: KnownNode | undefined): boolean {
  return node !== undefined && node.row.onboarded_at !== null && node.row.expected_sha !== null
}
