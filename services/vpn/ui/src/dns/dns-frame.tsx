import { answer, PageHeader, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, keys, readStatus } from '../api.ts'
import { HealthBanner } from '../health/health-banner.tsx'
import { ExplainDrawer } from './explain/explain-drawer.tsx'
import { FilterBadge, PauseControl } from './filter-state.tsx'
import { SectionTabs, type SectionTab } from '../sections/section-tabs.tsx'

const requestsPage = '/dns/requests'

const tabs: readonly (SectionTab & { isForAdmin?: boolean })[] = [
  { href: '/dns', label: 'Overview' },
  { href: '/dns/log', label: 'Log', isForAdmin: true },
  { href: '/dns/rules', label: 'Rules' },
  { href: '/dns/profiles', label: 'Profiles' },
  { href: requestsPage, label: 'Requests', isForAdmin: true },
  { href: '/dns/names', label: 'Local names' },
  { href: '/dns/zones', label: 'Zones' },
  { href: '/dns/lists', label: 'Lists' },
  { href: '/dns/settings', label: 'Settings', isForAdmin: true },
]

/** Frame of every DNS page: status, pause, tabs, and the explanation of a name. */
export function DnsFrame({ children }: { children: ReactNode }) {
  const { isAdmin } = useSession()
  const status = useQuery({ queryKey: keys.dnsStatus, queryFn: readStatus, refetchInterval: 10_000 })
  const count = useQuery({
    queryKey: [...keys.dnsRequests, 'count'],
    queryFn: async () => (await answer(api.GET('/api/dns/request-count'))).data.open,
    enabled: isAdmin,
  })
  const open = count.data ?? 0
  return (
    <>
      <PageHeader
        title="DNS filter"
        description={status.data === undefined ? undefined : <FilterBadge status={status.data} />}
        actions={status.data !== undefined && <PauseControl blocking={status.data.blocking} />}
      />
      <SectionTabs
        label="DNS"
        tabs={tabs
          .filter(({ isForAdmin }) => isAdmin || isForAdmin !== true)
          .map(({ href, label }) => ({
            href,
            label: href === requestsPage && open > 0 ? `${label} (${open})` : label,
          }))}
      />
      {status.data !== undefined && <HealthBanner notices={status.data.health} />}
      {children}
      <ExplainDrawer />
    </>
  )
}
