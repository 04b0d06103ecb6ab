import { PageHeader, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { keys, readStatus } from '../api.ts'
import { HealthBanner } from '../health/health-banner.tsx'
import { ExplainDrawer } from './explain/explain-drawer.tsx'
import { FilterBadge, PauseControl } from './filter-state.tsx'
import { SectionTabs, type SectionTab } from '../sections/section-tabs.tsx'

const tabs: readonly (SectionTab & { isForAdmin?: boolean })[] = [
  { href: '/dns', label: 'Overview' },
  { href: '/dns/log', label: 'Log', isForAdmin: true },
  { href: '/dns/rules', label: 'Rules' },
  { href: '/dns/profiles', label: 'Profiles' },
  { href: '/dns/names', label: 'Local names' },
  { href: '/dns/zones', label: 'Zones' },
  { href: '/dns/lists', label: 'Lists' },
  { href: '/dns/settings', label: 'Settings', isForAdmin: true },
]

/** Frame of every DNS page: status, pause, tabs, and the explanation of a name. */
export function DnsFrame({ children }: { children: ReactNode }) {
  const { isAdmin } = useSession()
  const status = useQuery({ queryKey: keys.dnsStatus, queryFn: readStatus, refetchInterval: 10_000 })
  return (
    <>
      <PageHeader
        title="DNS filter"
        description={status.data === undefined ? undefined : <FilterBadge status={status.data} />}
        actions={status.data !== undefined && <PauseControl blocking={status.data.blocking} />}
      />
      <SectionTabs label="DNS" tabs={tabs.filter(({ isForAdmin }) => isAdmin || isForAdmin !== true)} />
      {status.data !== undefined && <HealthBanner notices={status.data.health} />}
      {children}
      <ExplainDrawer />
    </>
  )
}
