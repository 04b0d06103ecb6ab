import { Table } from '@mantine/core'
import { formatCount } from '@hearth/ui'
import { useState, type CSSProperties } from 'react'
import { scaleOf } from './chart-scale.ts'

/** One bar: its name under it, its value, and what is said of it in full. */
export interface Bar {
  key: string
  label: string
  value: number
  /** Such as `14 downloads, 1.1 GiB on 12 November`. */
  sentence: string
}

/**
 * Bars that stand side by side, the highest one filling the height. A bar that is pointed at, or reached with the keyboard, says
 * what it is in the line above; the same figures are a table for whoever does not see them.
 */
export function BarChart(props: {
  title: string
  summary: string
  bars: readonly Bar[]
  labelEvery: number
  /** Name of what is counted, in the singular. */
  noun: string
}) {
  const { title, summary, bars, labelEvery, noun } = props
  const [chosen, choose] = useState<string>()
  const { top, lines } = scaleOf(bars.map(({ value }) => value))
  const said = bars.find(({ key }) => key === chosen)?.sentence ?? summary
  return (
    <figure className="chart">
      <figcaption className="chart-said">{said}</figcaption>
      <div className="chart-plot" aria-hidden onPointerLeave={() => choose(undefined)}>
        <div className="chart-lines">
          {lines.map((line) => (
            <span key={line} style={{ '--at': line / top } as CSSProperties}>
              <b>{line.toLocaleString('en')}</b>
            </span>
          ))}
        </div>
        <div className="chart-bars">
          {bars.map(({ key, value }) => (
            <span key={key} data-chosen={key === chosen || undefined} onPointerEnter={() => choose(key)}>
              <i style={{ '--at': value / top } as CSSProperties} data-none={value === 0 || undefined} />
            </span>
          ))}
        </div>
        <div className="chart-labels">
          {bars.map(({ key, label }, place) => (
            <span key={key}>{place % labelEvery === 0 ? <b>{label}</b> : null}</span>
          ))}
        </div>
      </div>
      <div className="visually-hidden">
        <Table aria-label={title}>
          <Table.Tbody>
            {bars.map(({ key, label, value }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row">{label}</Table.Th>
                <Table.Td>{formatCount(value, noun)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </figure>
  )
}
