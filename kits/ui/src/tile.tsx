import type { ReactNode } from 'react'

/** A figure with its name and what it is part of. */
export function Tile(props: { label: string; value: string; note?: ReactNode; tone?: 'warn' | 'bad' | undefined }) {
  const { label, value, note, tone } = props
  return (
    <section className="hearth-card hearth-tile" aria-label={label}>
      <p className="hearth-tile-small">{label}</p>
      <p className="hearth-tile-value" data-tone={tone}>
        {value}
      </p>
      {note !== undefined && <p className="hearth-tile-small">{note}</p>}
    </section>
  )
}
