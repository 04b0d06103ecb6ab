import { Button, Group, Kbd, Table, Text, TextInput, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks'
import {
  IconArrowDown,
  IconArrowUp,
  IconArrowsSort,
  IconChevronLeft,
  IconChevronRight,
  IconSearch,
} from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { nextSort, type TableState } from './table-state.ts'

/** A column's head; a button when the server can sort by it. */
export function SortHeader(props: {
  column: { header: string; sort?: string; numeric?: boolean; role?: string }
  state: TableState | undefined
}) {
  const { column, state } = props
  const { sort } = column
  if (column.role === 'actions')
    return (
      <Table.Th data-role="actions">
        <VisuallyHidden>{column.header}</VisuallyHidden>
      </Table.Th>
    )
  if (sort === undefined || state === undefined)
    return <Table.Th data-numeric={column.numeric}>{column.header}</Table.Th>
  const order = state.sort === sort ? 'ascending' : state.sort === `-${sort}` ? 'descending' : 'none'
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[order]
  return (
    <Table.Th data-numeric={column.numeric} aria-sort={order}>
      <UnstyledButton
        className="hearth-sort"
        data-order={order}
        onClick={() => state.change({ sort: nextSort(state.sort, sort) })}
      >
        {column.header}
        <Icon size={14} aria-hidden />
      </UnstyledButton>
    </Table.Th>
  )
}

/** Tells which rows are shown, and is the way to the others. */
export function TablePaging({ state, total, pageSize }: { state: TableState; total: number; pageSize: number }) {
  const pages = Math.max(1, Math.ceil(total / pageSize))
  const from = (state.page - 1) * pageSize + 1
  return (
    <nav className="hearth-paging" aria-label="Pages of the table">
      <Text component="output" c="dimmed" size="sm">
        {total === 0 ? 'None' : `${from}–${Math.min(total, from + pageSize - 1)} of ${total.toLocaleString('en')}`}
      </Text>
      {pages > 1 && (
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            leftSection={<IconChevronLeft size={14} aria-hidden />}
            disabled={state.page <= 1}
            onClick={() => state.change({ page: state.page - 1 })}
          >
            Previous
          </Button>
          <Button
            variant="default"
            size="xs"
            rightSection={<IconChevronRight size={14} aria-hidden />}
            disabled={state.page >= pages}
            onClick={() => state.change({ page: state.page + 1 })}
          >
            Next
          </Button>
        </Group>
      )}
    </nav>
  )
}

/** The search of a table: asks the server a moment after the last key; `/` puts the cursor here. */
export function TableSearch({ state, label }: { state: TableState; label: string }) {
  const [text, setText] = useState(state.search)
  const input = useRef<HTMLInputElement>(null)
  const sent = useRef(state.search)
  const search = useDebouncedCallback((search: string) => {
    sent.current = search
    state.change({ search })
  }, 300)
  useEffect(() => {
    if (state.search !== sent.current) setText(state.search)
    sent.current = state.search
  }, [state.search])
  useHotkeys([['/', () => input.current?.focus()]])
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label={label}
      placeholder={label}
      className="hearth-search"
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        <Kbd size="xs" aria-hidden className="hearth-search-key">
          /
        </Kbd>
      }
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value.trim())
      }}
    />
  )
}
