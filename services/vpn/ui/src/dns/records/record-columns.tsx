import type { Column } from '@hearth/ui'
import { IconHelpCircle, IconPencil, IconTrash } from '@tabler/icons-react'
import type { DnsRecord } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { useQuestion } from '../explain/use-question.ts'
import { lifetimeText } from './record-values.ts'

/** Actions on a record. */
export type RecordDialog = { kind: 'edit' | 'delete'; record: DnsRecord }

/** The columns of the table of local names; without `onOpen` there is nothing to do with a row. */
export function recordColumns(onOpen: ((dialog: RecordDialog) => void) | undefined): Column<DnsRecord>[] {
  const actions: Column<DnsRecord> = {
    key: 'row-actions',
    header: 'Actions',
    role: 'actions',
    render: (record) => onOpen !== undefined && <RecordActions record={record} onOpen={onOpen} />,
  }
  return onOpen === undefined ? columns : [...columns, actions]
}

const columns: Column<DnsRecord>[] = [
  {
    key: 'name',
    header: 'Name',
    role: 'title',
    render: ({ name }) => <span className="hearth-name wrap-anywhere">{name}</span>,
  },
  { key: 'type', header: 'Type', render: ({ type }) => type },
  {
    key: 'value',
    header: 'Value',
    render: ({ value }) => <span className="hearth-mono record-value">{value}</span>,
  },
  { key: 'ttl', header: 'Lifetime', render: ({ ttl }) => lifetimeText(ttl) },
]

function RecordActions({ record, onOpen }: { record: DnsRecord; onOpen: (dialog: RecordDialog) => void }) {
  const { explain } = useQuestion()
  return (
    <RowMenu
      label={`More for ${record.name} ${record.type} ${record.value.slice(0, 60)}`}
      entries={[
        { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', record }) },
        {
          label: 'Explain this name',
          icon: IconHelpCircle,
          onClick: () => explain({ domain: record.name.replace(/^\*\./, 'any.'), client: '' }),
        },
        { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', record }), isDestructive: true },
      ]}
    />
  )
}
