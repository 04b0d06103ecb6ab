import { Button, NativeSelect } from '@mantine/core'
import {
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  RelativeTime,
  StatusBadge,
  tableAnswer,
  TableSearch,
  type TableState,
  useTableState,
} from '@hearth/ui'
import { IconPlus, IconSearchOff, IconShieldLock, IconWorldWww } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { keys } from '../api.ts'
import { StateBanners } from '../drift/state-banners.tsx'
import { readSites } from '../sites/read-sites.ts'
import { RemoveSite } from '../sites/remove-site.tsx'
import { SiteRowActions } from '../sites/site-row-actions.tsx'
import { SiteStateBadge } from '../sites/site-state.tsx'
import { kindNames, targetOf, tlsName, withMore } from '../sites/site-words.ts'
import { type SiteUptime, useSiteUptimes } from '../uptime/read-uptime.ts'
import { UptimeNote } from '../uptime/uptime-state.tsx'
import { reachNames } from '../vpn/link-words.ts'
import { type Site, sitesPerPage, toSiteQuery } from '../sites/site.ts'

/** All sites: found, filtered and sorted by the server, kept current by events. */
export function SitesPage() {
  const state = useTableState(['kind', 'state', 'reach'])
  const query = toSiteQuery(state)
  const [leaving, setLeaving] = useState<Site>()
  const sites = useQuery({
    queryKey: [...keys.sites, 'list', query],
    queryFn: () => readSites(query),
    placeholderData: keepPreviousData,
  })
  const uptimes = useSiteUptimes(sites.data?.rows.map(({ id }) => id) ?? [])
  const isNarrowed = state.search !== '' || Object.values(state.filters).some((value) => value !== '')
  const isEmpty = !isNarrowed && sites.data?.total === 0
  const actions = (site: Site) => <SiteRowActions site={site} onRemove={() => setLeaving(site)} />
  return (
    <>
      <PageHeader
        title="Sites"
        description="The domains Caddy serves, and their upstreams."
        actions={!isEmpty && <AddSite />}
      />
      <StateBanners />
      {!isEmpty && <SiteFilters state={state} />}
      <DataTable
        label="Sites"
        columns={siteColumns(actions, uptimes)}
        state={state}
        pageSize={sitesPerPage}
        rowKey={(site) => String(site.id)}
        dimmed={(site) => !site.enabled}
        answer={tableAnswer(sites, sites.data?.rows, sites.data?.total ?? 0)}
        empty={isNarrowed ? <NothingFound state={state} /> : <NoSites />}
      />
      {leaving !== undefined && <RemoveSite site={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

function AddSite() {
  return (
    <Button component={Link} href="/sites/new" leftSection={<IconPlus size={16} aria-hidden />}>
      Add site
    </Button>
  )
}

function NoSites() {
  return (
    <EmptyState icon={IconWorldWww} title="No sites yet" action={<AddSite />}>
      A name, a domain and an upstream are enough. Caddy serves the site at once and gets the certificate.
    </EmptyState>
  )
}

function SiteFilters({ state }: { state: TableState }) {
  return (
    <search className="hearth-toolbar">
      <TableSearch state={state} label="Search sites" />
      <NativeSelect
        aria-label="Kind"
        value={state.filters['kind'] ?? ''}
        onChange={(event) => state.change({ filter: { kind: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Any kind' },
          ...Object.entries(kindNames).map(([value, label]) => ({ value, label })),
        ]}
      />
      <NativeSelect
        aria-label="State"
        value={state.filters['state'] ?? ''}
        onChange={(event) => state.change({ filter: { state: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Any state' },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
          { value: 'failed', label: 'Refused by Caddy' },
        ]}
      />
      <NativeSelect
        aria-label="Reachable by"
        value={state.filters['reach'] ?? ''}
        onChange={(event) => state.change({ filter: { reach: event.currentTarget.value } })}
        data={[
          { value: '', label: 'Any reach' },
          ...Object.entries(reachNames).map(([value, label]) => ({ value, label })),
        ]}
      />
    </search>
  )
}

function NothingFound({ state }: { state: TableState }) {
  return (
    <EmptyState
      icon={IconSearchOff}
      title="No site matches"
      action={
        <Button
          variant="default"
          onClick={() => state.change({ search: '', filter: { kind: '', state: '', reach: '' } })}
        >
          Show all sites
        </Button>
      }
    >
      Search looks at names and domains.
    </EmptyState>
  )
}

function siteColumns(actions: (site: Site) => ReactNode, uptimes: ReadonlyMap<number, SiteUptime>): Column<Site>[] {
  return [
    { key: 'name', header: 'Site', sort: 'name', role: 'title', render: (site) => <SiteLink site={site} /> },
    {
      key: 'target',
      header: 'Target',
      render: (site) => (
        <span className="site-target">
          <span className="hearth-mono" title={targetOf(site)}>
            {targetOf(site)}
          </span>
          <small>{kindNames[site.kind]}</small>
        </span>
      ),
    },
    { key: 'tls', header: 'TLS', render: (site) => tlsName(site) },
    {
      key: 'state',
      header: 'State',
      render: (site) => (
        <span className="site-state">
          <SiteStateBadge site={site} />
          {site.reach !== 'everyone' && (
            <StatusBadge tone="quiet" icon={IconShieldLock}>
              {reachNames[site.reach]}
            </StatusBadge>
          )}
          <UptimeNote uptime={uptimes.get(site.id)} />
        </span>
      ),
    },
    {
      key: 'updated',
      header: 'Changed',
      sort: 'updated_at',
      numeric: true,
      render: (site) => <RelativeTime value={site.updated_at} />,
    },
    { key: 'actions', header: 'Actions', role: 'actions', render: actions },
  ]
}

function SiteLink({ site }: { site: Site }) {
  return (
    <span className="site-name">
      <Link href={`/sites/${site.id}`} className="hearth-name">
        {site.site_name}
      </Link>
      <small title={site.domains.join(', ')}>{withMore(site.domains)}</small>
    </span>
  )
}
