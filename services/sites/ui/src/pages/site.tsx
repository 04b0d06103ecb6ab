import { Button, Group, Switch, Tabs } from '@mantine/core'
import { ApiError, DataTable, EmptyState, PageHeader, QueryState, tableAnswer, useDocumentTitle } from '@hearth/ui'
import { IconHistory, IconTrash, IconWorldOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { IconButton } from '../controls/icon-button.tsx'
import { keys } from '../api.ts'
import { StateBanners } from '../drift/state-banners.tsx'
import { SiteEditor } from '../editor/site-editor.tsx'
import { BackLink } from '../navigation/back-link.tsx'
import { readRevisions, type Revision } from '../revisions/read-revisions.ts'
import { revisionColumns } from '../revisions/revision-columns.tsx'
import { readSite } from '../sites/read-sites.ts'
import { RemoveSite } from '../sites/remove-site.tsx'
import { useSwitchSite } from '../sites/site-actions.ts'
import { OpenSite } from '../sites/site-row-actions.tsx'
import { SiteStateBadge } from '../sites/site-state.tsx'
import type { Site } from '../sites/site.ts'
import { SiteUptimeView } from '../uptime/site-uptime.tsx'
import { SiteTrafficView } from '../traffic/site-traffic.tsx'

/** One site: its settings, traffic and history; or a new one. */
export function SitePage() {
  const { id } = useParams<{ id: string }>()
  return id === 'new' ? <NewSite /> : <KnownSite key={id} id={Number(id)} />
}

function NewSite() {
  const [, navigate] = useLocation()
  return (
    <>
      <BackLink href="/sites">All sites</BackLink>
      <PageHeader
        title="New site"
        description="A name, a domain and an upstream are enough; everything else has good defaults."
      />
      <StateBanners />
      <SiteEditor onSaved={(site) => navigate(`/sites/${site.id}`, { replace: true })} />
    </>
  )
}

function KnownSite({ id }: { id: number }) {
  const site = useQuery({ queryKey: [...keys.sites, 'one', id], queryFn: () => readSite(id) })
  if (site.data !== undefined) return <OneSite site={site.data} />
  if (site.error instanceof ApiError && [400, 404].includes(site.error.status)) return <NoSuchSite />
  return <QueryState query={site} lines={6} />
}

function OneSite({ site }: { site: Site }) {
  const [, navigate] = useLocation()
  const [isLeaving, leave] = useState(false)
  useDocumentTitle(site.site_name, 'Sites')
  return (
    <>
      <BackLink href="/sites">All sites</BackLink>
      <PageHeader
        title={site.site_name}
        description={<SiteStateBadge site={site} bare />}
        actions={<SiteActions site={site} onRemove={() => leave(true)} />}
      />
      <StateBanners />
      <SiteTabs site={site} />
      {isLeaving && (
        <RemoveSite site={site} onClose={() => leave(false)} onRemoved={() => navigate('/sites', { replace: true })} />
      )}
    </>
  )
}

function SiteActions({ site, onRemove }: { site: Site; onRemove: () => void }) {
  const change = useSwitchSite()
  return (
    <Group gap="md">
      <Switch
        label="Maintenance"
        checked={site.maintenance_mode}
        onChange={(event) => change.mutate({ site, member: 'maintenance_mode', isOn: event.currentTarget.checked })}
      />
      <Group gap="xs">
        <OpenSite site={site} />
        <IconButton icon={IconTrash} onClick={onRemove}>
          Remove
        </IconButton>
      </Group>
    </Group>
  )
}

const tabs = ['settings', 'uptime', 'traffic', 'history'] as const

function SiteTabs({ site }: { site: Site }) {
  const [params, setParams] = useSearchParams()
  const present = tabs.find((tab) => tab === params.get('tab')) ?? 'settings'
  return (
    <Tabs
      value={present}
      onChange={(tab) => setParams(tab === null || tab === 'settings' ? {} : { tab }, { replace: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="settings">Settings</Tabs.Tab>
        <Tabs.Tab value="uptime">Uptime</Tabs.Tab>
        <Tabs.Tab value="traffic">Traffic</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="settings" keepMounted>
        <SiteEditor site={site} onSaved={() => undefined} />
      </Tabs.Panel>
      <Tabs.Panel value="uptime">
        <SiteUptimeView id={site.id} />
      </Tabs.Panel>
      <Tabs.Panel value="traffic">
        <SiteTrafficView id={site.id} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <SiteHistory id={site.id} />
      </Tabs.Panel>
    </Tabs>
  )
}

function NoSuchSite() {
  return (
    <EmptyState
      icon={IconWorldOff}
      heading="h1"
      title="There is no such site"
      action={
        <Button component={Link} href="/sites" variant="default">
          All sites
        </Button>
      }
    >
      It may have been removed.
    </EmptyState>
  )
}

/** The latest two hundred revisions. */
const history = { limit: 200, offset: 0 }

/** The revisions that changed a site, among the last two hundred. */
function SiteHistory({ id }: { id: number }) {
  const revisions = useQuery({ queryKey: [...keys.revisions, 'list', history], queryFn: () => readRevisions(history) })
  const rows = revisions.data?.rows.filter((revision) => touches(revision, id))
  return (
    <DataTable
      label="History of the site"
      columns={revisionColumns.filter(({ key }) => key !== 'sites')}
      rowKey={(revision) => String(revision.id)}
      answer={tableAnswer(revisions, rows)}
      empty={
        <EmptyState icon={IconHistory} title="No change of this site is among the last ones">
          Older ones may be on the page Revisions.
        </EmptyState>
      }
    />
  )
}

const touches = ({ sites }: Revision, id: number): boolean => sites.some(({ site_id: siteId }) => siteId === id)
