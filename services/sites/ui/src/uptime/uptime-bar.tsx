import { kindOf } from './uptime-words.ts'
import './uptime.css'

/** A day of a bar: its share, and what a pointer on it reads. */
interface BarDay {
  readonly share: number | null
  readonly text?: string
}

/** One stroke a day, oldest first; its height and colour say how much of the observed time was up. */
export function UptimeBar({ label, days }: { label: string; days: readonly BarDay[] }) {
  const known = days.filter(({ share }) => share !== null)
  const worst = Math.min(1, ...known.map(({ share }) => share ?? 1))
  const summary = known.length === 0 ? 'nothing observed' : `worst day ${(worst * 100).toFixed(1)} %`
  const strokes = days.map((day, place) => ({ ...day, name: `day ${place}`, x: place * 4 }))
  return (
    <svg
      className="uptime-bar"
      viewBox={`0 0 ${days.length * 4} 24`}
      preserveAspectRatio="none"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a drawing has no other element
      role="img"
      aria-label={`${label}: ${summary}`}
    >
      {strokes.map(({ share, text, name, x }) => (
        <rect
          key={name}
          x={x}
          y={share === null ? 10 : 0}
          width={3}
          height={share === null ? 4 : 24}
          data-kind={kindOf(share)}
        >
          {text !== undefined && <title>{text}</title>}
        </rect>
      ))}
    </svg>
  )
}
