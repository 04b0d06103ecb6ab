import { Table } from '@mantine/core'
import { useState } from 'react'
import type { ChartFigures, ChartSeries } from './chart-figures.ts'

/** Names the colours. */
export function ChartLegend({ series }: { series: readonly ChartSeries[] }) {
  return (
    <ul className="chart-legend">
      {series.map(({ tone, name, total, isDashed }) => (
        <li key={name} data-tone={tone} data-dashed={isDashed}>
          {name}
          {total !== undefined && <b>{total}</b>}
        </li>
      ))}
    </ul>
  )
}

/** The figures of a chart as a table, opened on request; for exact values and for screen readers. */
export function ChartTable({ title, times, series, format, formatTime }: ChartFigures & { title: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="chart-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {isOpen && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, also by keyboard
        <section className="chart-table-rows" tabIndex={0} aria-label={`${title}, figures`}>
          <Table aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Time</Table.Th>
                {series.map(({ name }) => (
                  <Table.Th key={name} ta="right">
                    {name}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {times.map((time, index) => (
                <Table.Tr key={time}>
                  <Table.Td>{formatTime(time)}</Table.Td>
                  {series.map(({ name, values }) => (
                    <Table.Td key={name} ta="right">
                      {formatKnown(values[index], format)}
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

const formatKnown = (value: number | null | undefined, format: (value: number) => string): string =>
  value === null || value === undefined ? '–' : format(value)
