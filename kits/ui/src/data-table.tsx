import { Checkbox, Skeleton, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { ErrorState, placeholders } from './page-parts.tsx'
import { SortHeader, TablePaging } from './table-controls.tsx'
import type { TableState } from './table-state.ts'

/** One column; on a phone it is a line of the row's card. */
export interface Column<Row> {
  key: string
  header: string
  render(row: Row): ReactNode
  /** Name the server sorts by; without it the column cannot be sorted. */
  sort?: string
  /** Right-aligned in tabular figures. */
  numeric?: boolean
  /** `title` heads the card on a phone, `actions` ends it, `wide` is left out there. */
  role?: 'title' | 'actions' | 'wide'
}

/** The answer to show: rows, or nothing yet, or an error. */
export interface TableAnswer<Row> {
  rows: readonly Row[] | undefined
  total: number
  error: unknown
  retry(): void
  /** Older rows stand while newer ones are read. */
  stale?: boolean
}

/** The rows of a query as a table shows them; `total` counts all pages. */
export function tableAnswer<Row>(
  query: { error: unknown; refetch(): unknown; isPlaceholderData: boolean },
  rows: readonly Row[] | undefined,
  total = rows?.length ?? 0,
): TableAnswer<Row> {
  return { rows, total, error: query.error, retry: () => void query.refetch(), stale: query.isPlaceholderData }
}

/** Rows that are chosen, for actions on several of them. */
export interface TableSelection<Row> {
  /** By the keys of rows, also of those on other pages. */
  readonly selected: Pick<ReadonlySet<string>, 'has'>
  /** Chooses rows, or no longer. */
  readonly change: (rows: readonly Row[], isSelected: boolean) => void
  /** Name of a row, for screen readers. */
  readonly nameOf: (row: Row) => string
}

interface DataTableProps<Row> {
  /** Names the table for screen readers. */
  label: string
  columns: readonly Column<Row>[]
  answer: TableAnswer<Row>
  rowKey: (row: Row) => string
  /** Content of a table without rows. */
  empty: ReactNode
  /** Search, sort and page; left out for a list that is always shown whole. */
  state?: TableState
  pageSize?: number
  dimmed?: (row: Row) => boolean
  /** With it every row has a box to choose it by, and the head one for the whole page. */
  selection?: TableSelection<Row>
}

/** A table whose search, order and pages are the server's; on a phone each row becomes a card. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { answer, state, pageSize = 25 } = props
  const narrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  if (answer.rows === undefined && answer.error !== null && answer.error !== undefined)
    return <ErrorState error={answer.error} onRetry={() => answer.retry()} />
  if (answer.rows?.length === 0) return props.empty
  return (
    <div className="hearth-table" data-stale={answer.stale === true || undefined}>
      {narrow ? <Cards {...props} /> : <WideTable {...props} />}
      {state !== undefined && <TablePaging state={state} total={answer.total} pageSize={pageSize} />}
    </div>
  )
}

function WideTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, answer, rowKey, state, dimmed, selection } = props
  return (
    <Table.ScrollContainer minWidth={640} type="native">
      <Table aria-label={label} aria-busy={answer.rows === undefined} highlightOnHover verticalSpacing={7}>
        <Table.Thead>
          <Table.Tr>
            {selection !== undefined && (
              <Table.Th data-role="selection">
                <SelectPage {...props} selection={selection} />
              </Table.Th>
            )}
            {columns.map((column) => (
              <SortHeader key={column.key} column={column} state={state} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {answer.rows === undefined
            ? placeholders(5).map((name) => (
                <Table.Tr key={name}>
                  {selection !== undefined && <Table.Td data-role="selection" />}
                  {columns.map((column) => (
                    <Table.Td key={column.key}>
                      <Skeleton height={14} my={6} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : answer.rows.map((row) => (
                <Table.Tr key={rowKey(row)} data-dimmed={dimmed?.(row) === true || undefined}>
                  {selection !== undefined && (
                    <Table.Td data-role="selection">
                      <SelectRow row={row} rowKey={rowKey} selection={selection} />
                    </Table.Td>
                  )}
                  {columns.map((column) => (
                    <Table.Td key={column.key} data-numeric={column.numeric} data-role={column.role}>
                      {column.render(row)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function SelectPage<Row>(props: DataTableProps<Row> & { selection: TableSelection<Row> }) {
  const { selection, rowKey } = props
  const rows = props.answer.rows ?? []
  const chosen = rows.filter((row) => selection.selected.has(rowKey(row))).length
  return (
    <Checkbox
      aria-label="Select all on this page"
      checked={chosen > 0 && chosen === rows.length}
      indeterminate={chosen > 0 && chosen < rows.length}
      onChange={(event) => selection.change(rows, event.currentTarget.checked)}
    />
  )
}

function SelectRow<Row>(props: { row: Row; rowKey: (row: Row) => string; selection: TableSelection<Row> }) {
  const { row, rowKey, selection } = props
  return (
    <Checkbox
      aria-label={`Select ${selection.nameOf(row)}`}
      checked={selection.selected.has(rowKey(row))}
      onChange={(event) => selection.change([row], event.currentTarget.checked)}
    />
  )
}

function Cards<Row>({ label, columns, answer, rowKey, dimmed, selection }: DataTableProps<Row>) {
  const lines = columns.filter((column) => column.role === undefined)
  const part = (row: Row, role: 'title' | 'actions') =>
    columns.filter((column) => column.role === role).map((column) => <div key={column.key}>{column.render(row)}</div>)
  if (answer.rows === undefined)
    return (
      <output aria-label="Loading" className="hearth-cards">
        {placeholders(3).map((name) => (
          <Skeleton key={name} height={120} />
        ))}
      </output>
    )
  return (
    <ul aria-label={label} className="hearth-cards">
      {answer.rows.map((row) => (
        <li key={rowKey(row)} className="hearth-row-card" data-dimmed={dimmed?.(row) === true || undefined}>
          <div className="hearth-row-title" data-selectable={selection !== undefined || undefined}>
            {selection !== undefined && <SelectRow row={row} rowKey={rowKey} selection={selection} />}
            {part(row, 'title')}
          </div>
          <dl>
            {lines.map((column) => (
              <div key={column.key}>
                <dt>{column.header}</dt>
                <dd data-numeric={column.numeric}>{column.render(row)}</dd>
              </div>
            ))}
          </dl>
          <div className="hearth-row-actions">{part(row, 'actions')}</div>
        </li>
      ))}
    </ul>
  )
}
