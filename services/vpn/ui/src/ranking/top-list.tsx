import { Section } from '@hearth/ui'
import type { ReactNode } from 'react'

/** One line of a ranking. */
export interface TopEntry {
  key: string
  name: ReactNode
  count: number
  /** Stands behind the count. */
  note?: string
}

/** What came up most, with a bar for how it compares to the first. */
export function TopList(props: {
  title: string
  entries: readonly TopEntry[]
  empty: string
  format?: (count: number) => string
}) {
  const { title, entries, empty, format = (count) => count.toLocaleString('en') } = props
  const most = Math.max(1, ...entries.map(({ count }) => count))
  return (
    <Section title={title}>
      {entries.length === 0 && <p className="top-none hearth-dimmed">{empty}</p>}
      <ol className="top-list">
        {entries.map(({ key, name, count, note }) => (
          <li key={key}>
            <span className="wrap-anywhere">{name}</span>
            <span className="top-count">
              {format(count)}
              {note !== undefined && <small className="hearth-dimmed"> {note}</small>}
            </span>
            <meter min={0} max={most} value={count} aria-hidden />
          </li>
        ))}
      </ol>
    </Section>
  )
}
