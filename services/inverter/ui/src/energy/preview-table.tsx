import { Table } from '@mantine/core'
import type { DispatchPreview } from '../api.ts'
import { formatValue } from '../values/quantity.ts'

/** Registers in the order they are written, with what they hold now and at the end. */
export function PreviewTable({ changes, restores }: Pick<DispatchPreview, 'changes' | 'restores'>) {
  const atEnd = (name: string) => restores.findLast((restore) => restore.name === name)?.to
  return (
    <div className="hearth-table">
      <Table.ScrollContainer minWidth={420} type="native">
        <Table aria-label="What is written">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Register</Table.Th>
              <Table.Th data-numeric="true">Now</Table.Th>
              <Table.Th data-numeric="true">Written</Table.Th>
              <Table.Th data-numeric="true">At the end</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {changes.map(({ name, from, to }) => (
              <Table.Tr key={name}>
                <Table.Td className="hearth-mono">{name}</Table.Td>
                <Table.Td data-numeric="true">{formatValue(from, null)}</Table.Td>
                <Table.Td data-numeric="true">
                  <b>{formatValue(to, null)}</b>
                </Table.Td>
                <Table.Td data-numeric="true">{formatValue(atEnd(name), null)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  )
}
