import { QueryState, Section, formatBytes } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CountryTraffic, keys } from '../api.ts'
import { DatabaseFoot, GeoControls, GeoNotice, NoPlaces, useGeoQuery } from '../traffic/geography.tsx'
import { PlaceTable } from '../traffic/place-table.tsx'
import { readCountries } from '../traffic/read-traffic.ts'
import { TrafficFrame } from '../traffic/traffic-history.tsx'
import '../traffic/traffic.css'
import { useId, useState } from 'react'
import { shadeOf } from '../traffic/country-shades.ts'
import { countryDots, countryShapes, worldBox, worldOutline } from '../traffic/world.gen.ts'
import '../traffic/world-map.css'

/** Page with traffic by country. */
export function CountriesPage() {
  const geo = useGeoQuery()
  const countries = useQuery({
    queryKey: [...keys.geography, 'countries', geo.query],
    queryFn: () => readCountries(geo.query),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })
  return (
    <TrafficFrame description="Countries that peers connect from, and where their traffic goes.">
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

/** A map of the world, stronger in colour where more traffic was; the table beside it says the same in figures. */
function WorldMap({ items }: { items: CountryTraffic['items'] }) {
  const edge = useId()
  const [chosen, choose] = useState<string>()
  const most = Math.max(0, ...items.filter(({ code }) => code !== 'ZZ').map(({ total_bytes }) => total_bytes))
  const byCode = new Map(items.map((item) => [item.code, item]))
  const look = (code: string) => ({
    'data-shade': shadeOf(byCode.get(code)?.total_bytes ?? 0, most),
    onPointerEnter: () => choose(code),
  })
  return (
    <figure className="world-map">
      <svg viewBox={`0 0 ${worldBox.width} ${worldBox.height}`} aria-hidden onPointerLeave={() => choose(undefined)}>
        <clipPath id={edge}>
          <path d={worldOutline} />
        </clipPath>
        <g clipPath={`url(#${edge})`}>
          {countryShapes.map(([code, path], place) => (
            // oxlint-disable-next-line react/no-array-index-key -- the shapes never change, and some have no code
            <path key={place} d={path} {...look(code)} />
          ))}
        </g>
        {countryDots
          .filter(([code]) => byCode.has(code))
          .map(([code, x, y]) => (
            <circle key={code} cx={x} cy={y} r={6} {...look(code)} />
          ))}
      </svg>
      <figcaption className="hearth-dimmed">{said(chosen, byCode)}</figcaption>
    </figure>
  )
}

function said(code: string | undefined, byCode: ReadonlyMap<string, CountryTraffic['items'][number]>): string {
  if (code === undefined || code === '')
    return 'The stronger the colour, the more: each step is about ten times as much.'
  const item = byCode.get(code)
  const name = item?.name ?? new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code
  return item === undefined ? `${name}: nothing` : `${name}: ${formatBytes(item.total_bytes)}, ${item.percentage} %`
}
