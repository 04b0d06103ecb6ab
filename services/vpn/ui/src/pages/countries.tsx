import { answer, formatBytes, Section } from '@hearth/ui'
import { api, type CountryTraffic, type GeoQuery } from '../api.ts'
import { GeographyPage, PlaceTable } from '../traffic/geography.tsx'
import '../traffic/traffic.css'
import { useId, useState } from 'react'
import { shadeOf } from '../traffic/country-shades.ts'
import { countryDots, countryShapes, worldBox, worldOutline } from '../traffic/world.gen.ts'
import '../traffic/world-map.css'

const readCountries = async (query: GeoQuery) =>
  (await answer(api.GET('/api/metrics/geo/countries', { params: { query } }))).data

/** Page with traffic by country. */
export function CountriesPage() {
  return (
    <GeographyPage title="Countries" read={readCountries}>
      {({ items }) => <Countries items={items} />}
    </GeographyPage>
  )
}

function Countries({ items }: Pick<CountryTraffic, 'items'>) {
  const rows = items.map(({ code, name, ...amounts }) => ({
    key: code,
    name: code === 'ZZ' ? 'Unknown' : name,
    ...amounts,
  }))
  return (
    <div className="geo-columns">
      <Section title="On the map">
        <WorldMap items={items} />
      </Section>
      <Section title="Countries">
        <PlaceTable label="Countries" head="Country" rows={rows} />
      </Section>
    </div>
  )
}

/** A map of the world, stronger in colour where more traffic was; the table beside it says the same in figures. */
function WorldMap({ items }: Pick<CountryTraffic, 'items'>) {
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
