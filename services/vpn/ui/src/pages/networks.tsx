import { answer, Section } from '@hearth/ui'
import { api, type GeoQuery, type NetworkTraffic } from '../api.ts'
import { GeographyPage, PlaceTable } from '../traffic/geography.tsx'
import '../traffic/traffic.css'

const readNetworks = async (query: GeoQuery) =>
  (await answer(api.GET('/api/metrics/geo/asn', { params: { query } }))).data

/** Page with traffic by network (autonomous system). */
export function NetworksPage() {
  return (
    <GeographyPage title="Networks" read={readNetworks}>
      {({ items }) => <Networks items={items} />}
    </GeographyPage>
  )
}

function Networks({ items }: Pick<NetworkTraffic, 'items'>) {
  const rows = items.map(({ asn, organization, country, ...amounts }) => ({
    key: String(asn),
    name: <NetworkName asn={asn} organization={organization} country={country} />,
    ...amounts,
  }))
  return (
    <Section title="Networks">
      <PlaceTable label="Networks" head="Network" rows={rows} />
    </Section>
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
