import { Button } from '@mantine/core'
import { EmptyState, formatBytes, formatDuration, PageHeader, QueryState, Section, Tile, useSession } from '@hearth/ui'
import { IconNetwork } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Dashboard, keys, readInterfaces, readOverview } from '../api.ts'
import { OpenHints } from '../hints/open-hints.tsx'
import { BackendBanner, HealthBanner } from '../health/health-banner.tsx'
import { InterfaceStatusBadge } from '../interfaces/interface-status.tsx'
import { FilterCard, TrafficCard, RecentPeers } from '../overview/overview-cards.tsx'

/** The service at a glance. */
export function OverviewPage() {
  const overview = useQuery({ queryKey: keys.overview, queryFn: readOverview })
  return (
    <>
      <PageHeader title="Overview" />
      <QueryState query={overview} lines={6} />
      {overview.data !== undefined && (
        <div className="hearth-stack">
          <HealthBanner notices={overview.data.health} />
          <OpenHints />
          <BackendBanner system={overview.data.system} />
          {overview.data.interfaces.total === 0 ? <FirstStep /> : <Glance overview={overview.data} />}
        </div>
      )}
    </>
  )
}

function Glance({ overview }: { overview: Dashboard }) {
  const { interfaces, peers, traffic, system } = overview
  return (
    <>
      <div className="hearth-tiles">
        <Tile
          label="Peers connected"
          value={`${peers.connected}`}
          note={`of ${peers.total}, ${peers.disabled} disabled`}
        />
        <Tile label="Interfaces running" value={`${interfaces.active}`} note={`of ${interfaces.total}`} />
        <Tile
          label="Received today"
          value={formatBytes(traffic.today.rx_bytes)}
          note={`${formatBytes(traffic.rx_bytes)} in total`}
        />
        <Tile
          label="Sent today"
          value={formatBytes(traffic.today.tx_bytes)}
          note={`${formatBytes(traffic.tx_bytes)} in total`}
        />
      </div>
      <TrafficCard overview={overview} />
      <FilterCard />
      <div className="overview-columns">
        <InterfaceSummary />
        <RecentPeers />
      </div>
      <p className="overview-foot hearth-dimmed">
        Version {system.version} · running for {formatDuration(system.uptime_seconds)} · {backendNames[system.backend]}
      </p>
    </>
  )
}

const backendNames: Record<Dashboard['system']['backend'], string> = {
  kernel: 'WireGuard in the kernel',
  userspace: 'WireGuard in user space',
  simulated: 'simulated WireGuard',
}

function InterfaceSummary() {
  const interfaces = useQuery({ queryKey: keys.interfaces, queryFn: readInterfaces })
  return (
    <Section
      title="Interfaces"
      actions={
        <Link href="/interfaces" className="hearth-link">
          All interfaces
        </Link>
      }
    >
      <QueryState query={interfaces} lines={2} />
      <ul className="recent-peers">
        {interfaces.data?.map((row) => (
          <li key={row.name}>
            <Link href={`/peers?interface=${encodeURIComponent(row.name)}`} className="hearth-name">
              {row.name}
            </Link>
            <InterfaceStatusBadge interface={row} />
            <span className="hearth-dimmed">
              {row.connected_peers} of {row.peer_count} connected
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

function FirstStep() {
  const { isAdmin } = useSession()
  if (!isAdmin)
    return (
      <EmptyState icon={IconNetwork} title="Nothing is set up yet">
        An administrator creates the first interface.
      </EmptyState>
    )
  return (
    <EmptyState
      icon={IconNetwork}
      title="Create the first interface"
      action={
        <Button component={Link} href="/interfaces?new=1">
          Create interface
        </Button>
      }
    >
      Devices connect to an interface. After it you add peers, one for each device, and scan their QR codes.
    </EmptyState>
  )
}
