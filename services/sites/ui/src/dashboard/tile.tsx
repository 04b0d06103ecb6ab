import type { ReactNode } from 'react'
import './dashboard.css'

/** One number with its name, and what it is part of. */
export function Tile(props: { label: string; value: string; note?: ReactNode; tone?: 'warn' | 'bad' | undefined }) {
  const { label, value, note, tone } = props
  return (
    <section className="hearth-card tile" aria-label={label}>
      <p className="tile-label">{label}</p>
      <p className="tile-value" data-tone={tone}>
        {value}
      </p>
      {note !== undefined && <p className="tile-note">{note}</p>}
    </section>
  )
}
