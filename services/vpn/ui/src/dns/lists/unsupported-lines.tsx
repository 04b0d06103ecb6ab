import { Modal, Stack, Table, Text } from '@mantine/core'
import { formatCount } from '@hearth/ui'
import type { Blocklist } from '../../pending-api.ts'

/** The lines of a list that a resolver can make nothing of, and why. */
export function UnsupportedLines({ list, onClose }: { list: Blocklist; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={`Lines left out of ${list.name}`} size="lg">
      <Stack>
        <Text>
          {formatCount(list.unsupported, 'line')} of {list.name} cannot be used by a resolver: it sees names alone, not
          pages. The rest of the list counts.
        </Text>
        <ul className="reason-list">
          {list.unsupported_reasons.map(({ reason, lines }) => (
            <li key={reason}>
              <span>{reason}</span>
              <b>{lines.toLocaleString('en')}</b>
            </li>
          ))}
        </ul>
        {list.examples.length > 0 && (
          <Table.ScrollContainer minWidth={420} type="native">
            <Table aria-label="Examples">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Line</Table.Th>
                  <Table.Th>Text</Table.Th>
                  <Table.Th>Why not</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {list.examples.map(({ line, text, reason }) => (
                  <Table.Tr key={line}>
                    <Table.Td>{line.toLocaleString('en')}</Table.Td>
                    <Table.Td className="hearth-mono">{text}</Table.Td>
                    <Table.Td>{reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        )}
      </Stack>
    </Modal>
  )
}
