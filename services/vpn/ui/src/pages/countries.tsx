import { QueryState, Section } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CountryTraffic, keys } from '../api.ts'
import { DatabaseFoot, GeoControls, GeoNotice, NoPlaces, useGeoQuery } from '../traffic/geography.tsx'
import { PlaceTable } from '../traffic/place-table.tsx'
import { readCountries } from '../traffic/read-traffic.ts'
import { TrafficFrame } from '../traffic/traffic-frame.tsx'
import { WorldMap } from '../traffic/world-map.tsx'
import '../traffic/traffic.css'

/** Where traffic comes from or goes to, by country. */
export function CountriesPage() {
  const geo = useGeoQuery()
  const countries = useQuery({
    queryKey: [...keys.geography, 'countries', geo.query],
    queryFn: () => readCountries(geo.query),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <TrafficFrame description="In which countries peers are, and where their traffic goes.">
      <GeoControls {...geo} />
      <QueryState query={countries} lines={8} />
      {countries.data !== undefined && <Countries of={countries.data} />}
    </TrafficFrame>
  )
}

function Countries({ of }: { of: CountryTraffic }) {
  if (of.items.length === 0) return <NoPlaces of={of} what="Countries" />
  const rows = of.items.map(({ code, name, ...amounts }) => ({
    key: code,
    name: code === 'ZZ' ? 'Unknown' : name,
    ...amounts,
  }))
  return (
    <div className="hearth-stack">
      <GeoNotice of={of} />
      <div className="geo-columns">
        <Section title="On the map">
          <WorldMap items={of.items} />
        </Section>
        <Section title="Countries">
          <PlaceTable label="Countries" head="Country" rows={rows} />
        </Section>
      </div>
      <DatabaseFoot databases={of.databases} />
    </div>
  )
}
