import { QueryState, Section } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { keys, type NetworkTraffic } from '../api.ts'
import { DatabaseFoot, GeoControls, GeoNotice, NoPlaces, useGeoQuery } from '../traffic/geography.tsx'
import { PlaceTable } from '../traffic/place-table.tsx'
import { readNetworks } from '../traffic/read-traffic.ts'
import { TrafficFrame } from '../traffic/traffic-history.tsx'
import '../traffic/traffic.css'

/** Page with traffic by network (autonomous system). */
export function NetworksPage() {
  const geo = useGeoQuery()
  const networks = useQuery({
    queryKey: [...keys.geography, 'networks', geo.query],
    queryFn: () => readNetworks(geo.query),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <TrafficFrame description="Networks that peers connect from, and where their traffic goes.">
      <GeoControls {...geo} />
      <QueryState query={networks} lines={8} />
      {networks.data !== undefined && <Networks of={networks.data} />}
    </TrafficFrame>
  )
}

function Networks({ of }: { of: NetworkTraffic }) {
  if (of.items.length === 0) return <NoPlaces of={of} what="Networks" />
  const rows = of.items.map(({ asn, organization, country, ...amounts }) => ({
    key: String(asn),
    name: <NetworkName asn={asn} organization={organization} country={country} />,
    ...amounts,
  }))
  return (
    <div className="hearth-stack">
      <GeoNotice of={of} />
      <Section title="Networks">
        <PlaceTable label="Networks" head="Network" rows={rows} />
      </Section>
      <DatabaseFoot databases={of.databases} />
    </div>
  )
}

function NetworkName({
  asn,
  organization,
  country,
}: Pick<NetworkTraffic['items'][number], 'asn' | 'organization' | 'country'>) {
  if (asn === 0) return 'Unknown'
  const details = [`AS${asn}`, country === 'ZZ' ? '' : (regions.of(country) ?? country)]
  return (
    <>
      {organization ?? `AS${asn}`}
      <small className="hearth-dimmed list-address">{details.filter((text) => text !== '').join(', ')}</small>
    </>
  )
}

const regions = new Intl.DisplayNames('en', { type: 'region' })
