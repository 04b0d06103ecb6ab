import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Tables } from '../tables.ts'
import { allInterfaceRows } from '../interfaces/store.ts'
import { allListRows } from '../lists/store.ts'
import type { DataPlaneChoice } from '../wireguard/choose-driver.ts'
import type { Tunnels } from '../wireguard/tunnels.ts'
import { nodeDnsNotices, nodeNotices, type LostNode, type NodeWithoutDns } from './node-notices.ts'
import { tunnelPageNotices, type TunnelPageFacts } from './tunnel-page-notices.ts'
import { privateDnsNotices, type PrivateDnsFacts } from './private-dns-notices.ts'
import { driftShownMs, healthNotices, type DriftFacts, type ResolverFacts } from './notices.ts'
import type { HealthNotice } from './schema.ts'

/** Dependencies of `readHealth`. */
export interface HealthDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  readonly dataPlane: DataPlaneChoice
  readonly tunnels: Pick<Tunnels, 'state'>
  readonly resolver: () => ResolverFacts
  readonly privateDns: () => Promise<PrivateDnsFacts>
  readonly tunnelPage: () => Promise<TunnelPageFacts>
  readonly lostNodes: () => Promise<readonly LostNode[]>
  readonly nodesWithoutDns: () => Promise<readonly NodeWithoutDns[]>
  /** Hours between two updates of the lists; 0 for by hand. */
  readonly updateHours: () => number
  readonly drifts: Pick<ReturnType<typeof createDriftRecord>, 'recent'>
}

/** Keeps the last drift of each interface, and of the firewall, for an hour. */
export function createDriftRecord(clock: Pick<Clock, 'now'>) {
  const drifts = new Map<string, DriftFacts>()
  const forgetOld = () => {
    for (const [subject, { at }] of drifts) if (clock.now() - at >= driftShownMs) drifts.delete(subject)
  }
  return {
    add(subject: string, message: string): void {
      forgetOld()
      drifts.set(subject, { at: clock.now(), message })
    },
    recent(): readonly DriftFacts[] {
      forgetOld()
      return [...drifts.values()]
    },
  }
}

/** Reads what is wrong with the service at the moment, the worst first. */
export async function readHealth(dependencies: HealthDependencies): Promise<HealthNotice[]> {
  const { database, clock, dataPlane, tunnels, resolver, updateHours, drifts } = dependencies
  const interfaces = await allInterfaceRows(database.query)
  return healthNotices({
    now: clock.now(),
    uptimeSeconds: process.uptime(),
    dns: resolver(),
    lists: await allListRows(database.query),
    updateHours: updateHours(),
    dataPlane,
    failedInterfaces: interfaces.flatMap(({ name, enabled }) => {
      const { status, reason } = tunnels.state(name)
      return enabled === 1 && status === 'error' ? [{ name, reason: reason ?? 'no reason is known' }] : []
    }),
    drifts: drifts.recent(),
    more: [
      ...privateDnsNotices(await dependencies.privateDns(), clock.now()),
      ...tunnelPageNotices(await dependencies.tunnelPage()),
      ...nodeNotices(await dependencies.lostNodes()),
      ...nodeDnsNotices(await dependencies.nodesWithoutDns()),
    ],
  })
}
