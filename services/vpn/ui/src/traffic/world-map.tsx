import type { CountryTraffic } from '../api.ts'
import { formatBytes } from '@hearth/ui'
import { useId, useState } from 'react'
import { shadeOf } from './country-shades.ts'
import { countryDots, countryShapes, worldBox, worldOutline } from './world.gen.ts'
import './world-map.css'

/** A map of the world, stronger in colour where more traffic was; the table beside it says the same in figures. */
export function WorldMap({ items }: { items: CountryTraffic['items'] }) {
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
