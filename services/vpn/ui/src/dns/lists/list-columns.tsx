import { Anchor, Group, Modal, Stack, Switch, Text } from '@mantine/core'
import { answer, type Column, formatCount, RelativeTime, StatusBadge, useAction } from '@hearth/ui'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { api, type Blocklist, keys } from '../../api.ts'
import { RowMenu } from '../../sections/row-menu.tsx'
import { leftOutText } from './list-words.ts'

/** Actions on a list. */
export type ListDialog = { kind: 'edit' | 'delete' | 'unsupported'; list: Blocklist }

/** The columns of the table of lists. */
export function listColumns(isAdmin: boolean, onOpen: (dialog: ListDialog) => void): Column<Blocklist>[] {
  const columns: Column<Blocklist>[] = [
    { key: 'name', header: 'List', role: 'title', render: (list) => <ListName list={list} /> },
    { key: 'state', header: 'State', render: (list) => <ListState list={list} /> },
    { key: 'entries', header: 'Names', numeric: true, render: (list) => list.entries.toLocaleString('en') },
    {
      key: 'unsupported',
      header: 'Left out',
      numeric: true,
      render: (list) => <LeftOut list={list} onOpen={() => onOpen({ kind: 'unsupported', list })} />,
    },
    { key: 'updated', header: 'Changed', render: (list) => <RelativeTime value={list.last_updated} /> },
    { key: 'checked', header: 'Last checked', render: (list) => <RelativeTime value={list.last_checked} /> },
  ]
  if (!isAdmin) return columns
  const actions = (list: Blocklist) => <ListActions list={list} onOpen={onOpen} />
  return [...columns, { key: 'row-actions', header: 'Actions', role: 'actions', render: actions }]
}

function ListName({ list }: { list: Blocklist }) {
  return (
    <>
      <span className="hearth-name">{list.name}</span>
      <small className="hearth-dimmed list-address">{list.url}</small>
    </>
  )
}

function ListState({ list }: { list: Blocklist }) {
  if (!list.enabled) return <StatusBadge tone="quiet">Off</StatusBadge>
  if (list.last_error !== null)
    return (
      <>
        <StatusBadge tone={list.entries > 0 ? 'warn' : 'bad'}>
          {list.entries > 0 ? 'Not up to date' : 'Could not be read'}
        </StatusBadge>
        <small className="list-error">{list.last_error}</small>
      </>
    )
  if (list.last_checked === null) return <StatusBadge tone="accent">Not downloaded yet</StatusBadge>
  return <StatusBadge tone="good">In use</StatusBadge>
}

function LeftOut({ list, onOpen }: { list: Blocklist; onOpen: () => void }) {
  if (list.unsupported === 0) return <span className="hearth-dimmed">none</span>
  return (
    <Anchor component="button" type="button" onClick={onOpen} fz="inherit">
      {formatCount(list.unsupported, 'line')}
    </Anchor>
  )
}

function ListActions({ list, onOpen }: { list: Blocklist; onOpen: (dialog: ListDialog) => void }) {
  const turn = useAction<boolean, { message: string }>({
    run: (enabled) =>
      answer(api.PUT('/api/dns/blocklists/{id}', { params: { path: { id: list.id } }, body: { enabled } })),
    renew: [keys.blocklists, keys.dnsStatus, keys.dnsStats],
  })
  return (
    <Group gap="sm" wrap="nowrap" justify="flex-end">
      <Switch
        aria-label={`${list.name} is in use`}
        checked={turn.isPending ? turn.variables : list.enabled}
        disabled={turn.isPending}
        onChange={(event) => turn.mutate(event.currentTarget.checked)}
      />
      <RowMenu
        label={`More for ${list.name}`}
        entries={[
          { label: 'Edit', icon: IconPencil, onClick: () => onOpen({ kind: 'edit', list }) },
          { label: 'Delete', icon: IconTrash, onClick: () => onOpen({ kind: 'delete', list }), isDestructive: true },
        ]}
      />
    </Group>
  )
}

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
          {Object.entries(list.unsupported_reasons)
            .toSorted(([, one], [, other]) => other - one)
            .map(([reason, lines]) => (
              <li key={reason}>
                <span>{leftOutText(reason)}</span>
                <b>{lines.toLocaleString('en')}</b>
                <Examples of={list.unsupported_examples.filter((example) => example.reason === reason)} />
              </li>
            ))}
        </ul>
      </Stack>
    </Modal>
  )
}

function Examples({ of }: { of: Blocklist['unsupported_examples'] }) {
  if (of.length === 0) return undefined
  return (
    <ul className="reason-examples hearth-dimmed" aria-label="For example">
      {of.map(({ line, text }) => (
        <li key={line}>
          line {line.toLocaleString('en')} <code>{text}</code>
        </li>
      ))}
    </ul>
  )
}
