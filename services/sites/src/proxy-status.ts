import type { Kysely } from 'kysely'
import { hashConfig } from './apply/running-config.ts'
import { formatAdminAddress } from './nodes/admin-address.ts'
import type { KnownNode } from './nodes/nodes.ts'
import type { CaddyStatus } from './onboarding/schema.ts'
import type { Proxy } from './proxy.ts'
import type { ReadyChecks } from './problems.ts'
import type { Readiness } from './readiness.ts'
import { countStates } from './sites/store.ts'
import type { SiteTables } from './sites/tables.ts'

const firstNode = 1

/** Creates the readiness check: what runs is known, onboarding is complete, and the admin endpoint answers. */
export function createReadiness({ nodes, drift }: Proxy, isSetUp: () => Promise<boolean>): Readiness {
  let checking: Promise<ReadyChecks> | undefined

  async function look(): Promise<ReadyChecks> {
    try {
      const isReachable = await nodes.look(firstNode).then(
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
    // Anybody may ask, as often as they like; Caddy is asked once for all who wait.
    check: () => (checking ??= look().finally(() => (checking = undefined))),
  }
}

/** How it stands between the service and its first Caddy, which is asked afresh. */
export async function readCaddyStatus(db: Kysely<SiteTables>, { nodes, drift }: Proxy): Promise<CaddyStatus> {
  const running = await nodes.look(firstNode).catch(() => undefined)
  const node = await nodes.get(firstNode)
  const { pending, failed } = await countStates(db)
  const isTaken = isManaged(node)
  const expected = node?.row.expected_sha ?? null
  const isForeign = isTaken && running !== undefined && hashConfig(running.config) !== expected
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

/** Whether a node was taken over and something was applied to it. */
export function isManaged(node: KnownNode | undefined): boolean {
  return node !== undefined && node.row.onboarded_at !== null && node.row.expected_sha !== null
}
