import { Table } from '@mantine/core'
import { useState } from 'react'
import type { PlotSeries } from './plot-shapes.ts'

/** Which colour is what. */
export function PlotLegend({ series }: { series: readonly PlotSeries[] }) {
  return (
    <ul className="plot-legend" aria-hidden>
      {series.map(({ kind, name }) => (
        <li key={kind} data-plot={kind}>
          {name}
        </li>
      ))}
    </ul>
  )
}

/** The figures of a picture as a table, for whoever wants them exactly or does not see the picture. */
export function PlotTable(props: {
  title: string
  times: readonly string[]
  series: readonly PlotSeries[]
  format: (value: number) => string
  formatTime: (time: string) => string
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="plot-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keyboard
        <section className="plot-table-rows" tabIndex={0} aria-label={`${props.title}, figures`}>
          <Table aria-label={props.title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                {props.series.map(({ kind, name }) => (
                  <Table.Th key={kind} ta="right">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {props.times.map((time, place) => (
                <Table.Tr key={time}>
                  <Table.Td>{props.formatTime(time)}</Table.Td>
                  {props.series.map(({ kind, values }) => (
                    <Table.Td key={kind} ta="right">
                      {props.format(values[place] ?? 0)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </section>
      )}
    </details>
  )
}
