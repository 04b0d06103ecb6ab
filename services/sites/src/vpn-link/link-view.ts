import { isSecureOrLocal } from '@hearth/accounts'
import { toIsoString } from '@hearth/runtime'
import { isNetworkMember } from '../sites/rules/networks.ts'
import type { ReachNetworks } from '../sites/reach-schema.ts'
import { suggestHomeNetworks, suggestInsideAddresses, type MachineInterfaces } from './networks.ts'
import type { RecordState } from './record-sync.ts'
import type { Tunnel, VpnLinkView } from './schema.ts'
import type { VpnLinkRow } from './tables.ts'

/** Where Caddy serves sites. */
export interface CaddyAddresses {
  /** Empty for all addresses of its machine. */
  readonly bind: readonly string[]
  readonly httpPort: number
  readonly httpsPort: number
}

type Link = Omit<VpnLinkRow, 'id'>

/** Conflicts that are shown. */
const maxShown = 100

/** Returns the networks that count as inside. */
export function networksOfRow(row: Link | undefined): ReachNetworks {
  if (row === undefined) return { home: [], tunnel: [] }
  const tunnels = JSON.parse(row.tunnels) as Tunnel[]
  return {
    home: JSON.parse(row.home_networks) as string[],
    tunnel: [...new Set(tunnels.flatMap(({ networks }) => networks))],
  }
}

/** The link as the API returns it. */
export function linkView(
  row: Link | undefined,
  state: RecordState,
  machine: {
    readonly interfaces: MachineInterfaces
    readonly hostAddresses: readonly string[]
    readonly caddy: CaddyAddresses | undefined
  },
): VpnLinkView {
  const tunnels = row === undefined ? [] : (JSON.parse(row.tunnels) as Tunnel[])
  const { home, tunnel } = networksOfRow(row)
  const inside = row === undefined ? [] : (JSON.parse(row.inside_addresses) as string[])
  const view = {
    address: row?.address ?? null,
    home_networks: [...home],
    suggested_home_networks: suggestHomeNetworks(machine.interfaces, tunnel),
    tunnels,
    tunnels_at: toIsoString(row?.tunnels_at ?? null),
    inside_addresses: inside,
    suggested_inside_addresses: suggestInsideAddresses(machine.interfaces, machine.hostAddresses),
    records: row?.records ?? ('all' as const),
    state: stateOf(row, state),
    problem: row?.address == null ? null : (state.problem?.message ?? null),
    failing_since: row?.address == null ? null : toIsoString(state.failingSince ?? null),
    checked_at: toIsoString(state.checkedAt ?? null),
    record_count: state.records,
    waiting_count: state.waiting,
    conflict_count: state.conflicts.size,
    conflicts: [...state.conflicts].slice(0, maxShown).map(([name, message]) => ({ name, message })),
  }
  return { ...view, warnings: view.address === null ? [] : warningsOf(view, machine.caddy) }
}

function stateOf(row: Link | undefined, { problem, waiting, checkedAt }: RecordState): VpnLinkView['state'] {
  if (row === undefined || row.address === null) return 'unlinked'
  if (problem !== undefined) return 'failing'
  return waiting > 0 || checkedAt === undefined ? 'waiting' : 'in_step'
}

function warningsOf(
  view: Pick<VpnLinkView, 'inside_addresses' | 'tunnels' | 'records' | 'address'>,
  caddy: CaddyAddresses | undefined,
): string[] {
  const { inside_addresses: inside, tunnels, records, address } = view
  const warnings: string[] = []
  const hasRecords = records !== 'none'
  if (hasRecords && inside.length === 0)
    warnings.push('Names get no records yet: the address at which devices inside reach Caddy is missing.')
  if (caddy !== undefined && hasRecords && inside.length > 0) {
    const deaf = inside.filter((one) => caddy.bind.length > 0 && !caddy.bind.includes(one))
    if (deaf.length > 0) warnings.push(`Caddy does not listen at ${deaf.join(', ')}; see CADDY_BIND.`)
    if (caddy.httpsPort !== 443 || caddy.httpPort !== 80)
      warnings.push(
        `Caddy serves at the ports ${caddy.httpPort} and ${caddy.httpsPort}; devices inside go to 80 and 443, so something must forward them.`,
      )
  }
  const hidden = tunnels.filter(({ masquerades, networks }) => masquerades && !isInAny(inside, networks))
  if (hidden.length > 0 && inside.length > 0)
    warnings.push(
      `Devices in ${hidden.map(({ name }) => name).join(', ')} may arrive under the address of the VPN’s host, because the interface masquerades. Sites for the tunnel alone then refuse them.`,
    )
  if (address !== null && !isSecureOrLocal(new URL(address)))
    warnings.push('The token goes over the network without encryption: the address of the VPN begins with http.')
  return warnings
}

const isInAny = (addresses: readonly string[], networks: readonly string[]): boolean =>
  addresses.some((address) => isNetworkMember(address, networks))
