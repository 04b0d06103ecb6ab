import { Tile, useSession } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys } from '../api.ts'
import { useCertificates } from '../certificates/read-certificates.ts'
import { useCaddyStatus } from '../drift/read-status.ts'
import { readSites } from '../sites/read-sites.ts'
import { useUpstreams } from '../sites/upstreams.ts'
import type { TrafficOverview } from '../traffic/read-traffic.ts'
import { formatPace, sentenceOf } from '../traffic/traffic-figures.ts'

/** The few numbers that say whether all is well. */
export function Counts({ traffic }: { traffic: TrafficOverview | undefined }) {
  const { isAdmin } = useSession()
  return (
    <div className="hearth-tiles">
      <Tile
        label="Requests"
        value={traffic === undefined ? '–' : formatPace(traffic.requests_per_second)}
        note={traffic === undefined ? 'not known yet' : sentenceOf(traffic.totals).split(';')[0]}
      />
      {isAdmin && <SiteTile />}
      <CertificateTile />
      {isAdmin && <UpstreamTile />}
    </div>
  )
}

function SiteTile() {
  const count = (query: Parameters<typeof readSites>[0]) => async () => (await readSites({ ...query, limit: 1 })).total
  const all = useQuery({ queryKey: [...keys.sites, 'count'], queryFn: count({}) })
  const on = useQuery({ queryKey: [...keys.sites, 'count', 'on'], queryFn: count({ enabled: 'true' }) })
  const { data: status } = useCaddyStatus()
  const parts = [
    on.data === undefined ? '' : `${on.data.toLocaleString('en')} on`,
    status === undefined || status.failed_sites === 0 ? '' : `${status.failed_sites} refused`,
    status === undefined || status.pending_sites === 0 ? '' : `${status.pending_sites} pending`,
  ]
  return (
    <Tile
      label="Sites"
      value={all.data === undefined ? '–' : all.data.toLocaleString('en')}
      note={parts.filter((text) => text !== '').join(', ')}
      tone={status !== undefined && status.failed_sites > 0 ? 'bad' : undefined}
    />
  )
}

function CertificateTile() {
  const { data } = useCertificates()
  if (data === undefined) return <Tile label="Certificates" value="–" note="being checked" />
  const { valid, expired, expiring_soon: soon } = data.counts
  const others = data.certificates.length - valid - expired - soon
  const parts = [
    'valid',
    soon === 0 ? '' : `${soon} ${soon === 1 ? 'expires' : 'expire'} soon`,
    expired === 0 ? '' : `${expired} expired`,
    others === 0 ? '' : `${others} without one`,
  ]
  return (
    <Tile
      label="Certificates"
      value={valid.toLocaleString('en')}
      note={parts.filter((text) => text !== '').join(', ')}
      tone={expired > 0 ? 'bad' : soon > 0 ? 'warn' : undefined}
    />
  )
}

function UpstreamTile() {
  const { data } = useUpstreams()
  if (data === undefined) return <Tile label="Upstreams" value="–" note="being checked" />
  const down = data.filter(({ up }) => up === false).length
  const up = data.filter((server) => server.up === true).length
  return (
    <Tile
      label="Upstreams"
      value={down === 0 ? up.toLocaleString('en') : `${up} of ${data.length}`}
      note={down === 0 ? 'answer' : `${down} ${down === 1 ? 'does' : 'do'} not answer`}
      tone={down > 0 ? 'bad' : undefined}
    />
  )
}
