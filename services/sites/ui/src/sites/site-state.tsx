import { StatusBadge } from '@hearth/ui'
import { IconBarrierBlock, IconClock, IconPlayerPause } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Site } from './site.ts'
import { gistOf, stateOf } from './site-words.ts'
import './site-list.css'

const icons: Readonly<Record<string, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  Off: IconPlayerPause,
  Pending: IconClock,
  Maintenance: IconBarrierBlock,
}

/** How a site stands; with Caddy's own words below when it was refused. */
export function SiteStateBadge({ site, bare = false }: { site: Site; bare?: boolean }) {
  const { tone, text } = stateOf(site)
  const isRefused = site.apply_state === 'failed' && site.last_error !== null
  return (
    <span className="site-state">
      <StatusBadge tone={tone} icon={icons[text]}>
        {text}
      </StatusBadge>
      {isRefused && !bare && (
        <span className="site-refusal" title={site.last_error ?? ''}>
          {gistOf(site.last_error ?? '')}
        </span>
      )}
    </span>
  )
}
