import { Button, Table } from '@mantine/core'
import { formatBytes } from '@hearth/ui'
import { useState, type ReactNode } from 'react'

/** One place of a ranking. */
export interface PlaceRow {
  readonly key: string
  readonly name: ReactNode
  readonly rx_bytes: number
  readonly tx_bytes: number
  readonly total_bytes: number
  readonly percentage: number
  readonly peers: number
}

/** Rows shown at first; there may be some two hundred countries and thousands of networks. */
const first = 15

/** Places with what was moved, most first. */
export function PlaceTable({ label, head, rows }: { label: string; head: string; rows: readonly PlaceRow[] }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? rows : rows.slice(0, first)
  return (
    <>
      <Table aria-label={label} className="geo-table" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{head}</Table.Th>
            <Table.Th ta="right">Traffic</Table.Th>
            <Table.Th ta="right">Share</Table.Th>
            <Table.Th ta="right">Peers</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td className="wrap-anywhere">{row.name}</Table.Td>
              <Table.Td
                ta="right"
                title={`${formatBytes(row.rx_bytes)} received, ${formatBytes(row.tx_bytes)} sent`}
                className="hearth-time"
              >
                {formatBytes(row.total_bytes)}
              </Table.Td>
              <Table.Td ta="right" className="hearth-time">
                {row.percentage} %
              </Table.Td>
              <Table.Td ta="right">{row.peers}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {rows.length > first && (
        <Button variant="subtle" size="xs" mt="xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${rows.length.toLocaleString('en')}`}
        </Button>
      )}
    </>
  )
}
