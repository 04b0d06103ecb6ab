import type { ReactNode } from 'react'

/** One number with its name and what it is part of. */
export function Tile({ label, value, note }: { label: string; value: string; note: ReactNode }) {
  return (
    <section className="hearth-card tile" aria-label={label}>
      <p className="hearth-dimmed">{label}</p>
      <p className="tile-value">{value}</p>
      <p className="hearth-dimmed">{note}</p>
    </section>
  )
}
