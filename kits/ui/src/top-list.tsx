import type { ReactNode } from 'react'

/** One line of a ranking. */
export interface TopEntry {
  readonly key: string
  readonly name: ReactNode
  readonly count: number
  /** Text after the count. */
  readonly note?: string
}

interface TopListProps {
  label: string
  entries: readonly TopEntry[]
  /** Sentence for a list without entries. */
  empty: string
  format?: (count: number) => string
}

const grouped = (count: number): string => count.toLocaleString('en')

/** Entries from the largest count down, each with a bar in proportion to the first. */
export function TopList({ label, entries, empty, format = grouped }: TopListProps) {
  if (entries.length === 0) return <p className="hearth-dimmed hearth-top-none">{empty}</p>
  const maximum = Math.max(1, ...entries.map(({ count }) => count))
  return (
    <ol className="hearth-top-list" aria-label={label}>
      {entries.map(({ key, name, count, note }) => (
        <li key={key}>
          <span>{name}</span>
          <b>
            {format(count)}
            {note !== undefined && <small className="hearth-dimmed"> {note}</small>}
          </b>
          <meter min={0} max={maximum} value={count} aria-hidden />
        </li>
      ))}
    </ol>
  )
}
