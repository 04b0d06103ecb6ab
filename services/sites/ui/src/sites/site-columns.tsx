import { type Column, RelativeTime } from '@hearth/ui'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Site } from './site.ts'
import { SiteStateBadge } from './site-state.tsx'
import { kindNames, targetOf, tlsName, withMore } from './site-words.ts'

/** The columns of the table of sites. */
export function siteColumns(actions: (site: Site) => ReactNode): Column<Site>[] {
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
    { key: 'state', header: 'State', render: (site) => <SiteStateBadge site={site} /> },
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
