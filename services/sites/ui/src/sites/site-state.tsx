import { StatusBadge } from '@hearth/ui'
import { IconBarrierBlock, IconClock, IconPlayerPause, IconPlugConnectedX } from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Site } from './site.ts'
import { gistOf, stateOf } from './site-words.ts'
import { failureText, useUpstreams } from './upstreams.ts'
import './site-list.css'

const icons: Readonly<Record<string, ComponentType<{ size?: number; 'aria-hidden'?: boolean }>>> = {
  Off: IconPlayerPause,
  Pending: IconClock,
  Maintenance: IconBarrierBlock,
  Failing: IconPlugConnectedX,
  Degraded: IconPlugConnectedX,
}

/** The state of a site; below it Caddy's own words when it was refused, or the upstreams that are down. */
export function SiteStateBadge({ site, bare = false }: { site: Site; bare?: boolean }) {
  const { data = [] } = useUpstreams()
  const upstreams = data.filter(({ site_ids: ids }) => ids.includes(site.id))
  const { tone, text } = stateOf(site, upstreams)
  const isRefused = site.apply_state === 'failed' && site.last_error !== null
  const down = tone === 'good' || isRefused || !site.enabled ? [] : upstreams.filter(({ up }) => up === false)
  const downText = down.map(({ address, reason }) => `${address}: ${lowerFirst(failureText(reason))}`).join('; ')
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
      {down.length > 0 && (
        <span className="site-refusal" title={downText}>
          {downText}
        </span>
      )}
    </span>
  )
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1)
