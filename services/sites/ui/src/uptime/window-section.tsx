import { MultiSelect, NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  FormDialog,
  formatTimestamp,
  Section,
  StatusBadge,
  tableAnswer,
} from '@hearth/ui'
import { IconCalendarTime, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { localInput, ownTimeZone } from './local-time.ts'
import { type MaintenanceWindow, useWindows } from './read-uptime.ts'
import { type NamedSite, useSiteNames } from './site-names.ts'

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; window: MaintenanceWindow }

/** Planned times in which sites are not checked. */
export function WindowSection() {
  const windows = useWindows()
  const sites = useSiteNames()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Maintenance windows"
      actions={
        <IconButton icon={IconPlus} size="xs" onClick={() => setDialog({ kind: 'add' })}>
          Plan maintenance
        </IconButton>
      }
    >
      <DataTable
        label="Maintenance windows"
        columns={columns(sites, (window, kind) => setDialog({ kind, window }))}
        rowKey={({ id }) => id}
        dimmed={({ next_starts_at: next }) => next === null}
        answer={tableAnswer(windows, windows.data)}
        empty={
          <EmptyState icon={IconCalendarTime} title="No maintenance planned">
            Within a window sites are not checked, nobody is notified, and the time counts neither as up nor as down.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <WindowDialog sites={sites} onClose={close} />}
      {dialog?.kind === 'edit' && <WindowDialog sites={sites} window={dialog.window} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveWindow window={dialog.window} onClose={close} />}
    </Section>
  )
}

function columns(
  sites: readonly NamedSite[],
  open: (window: MaintenanceWindow, kind: 'edit' | 'remove') => void,
): Column<MaintenanceWindow>[] {
  const names = new Map(sites.map(({ id, name }) => [id, name]))
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
    {
      key: 'sites',
      header: 'Sites',
      render: ({ site_ids: ids }) =>
        ids === null ? 'All sites' : ids.map((id) => names.get(id) ?? `#${id}`).join(', '),
    },
    { key: 'when', header: 'When', render: (window) => <When window={window} /> },
    actionColumn({
      nameOf: ({ name }) => name,
      actions: { Edit: (window) => open(window, 'edit'), Delete: (window) => open(window, 'remove') },
    }),
  ]
}

function When({ window }: { window: MaintenanceWindow }) {
  const { next_starts_at: start, next_ends_at: end, is_active: isActive, repeats } = window
  if (start === null || end === null) return <StatusBadge tone="quiet">Over</StatusBadge>
  return (
    <span className="uptime-when">
      {isActive && <StatusBadge tone="warn">Now</StatusBadge>}
      <span>
        {formatTimestamp(new Date(start))} to {formatTimestamp(new Date(end))}
        {repeats === 'weekly' && ', every week'}
      </span>
    </span>
  )
}

function WindowDialog(props: { sites: readonly NamedSite[]; window?: MaintenanceWindow; onClose: () => void }) {
  const { sites, window, onClose } = props
  const [now] = useState(() => Date.now())
  const form = useForm({
    initialValues: {
      name: window?.name ?? '',
      site_ids: window?.site_ids?.map(String) ?? [],
      starts_at: localInput(new Date(window?.starts_at ?? now)),
      ends_at: localInput(new Date(window?.ends_at ?? now + 3_600_000)),
      repeats: window?.repeats ?? 'never',
    },
    validate: { name: (name) => (name.trim() === '' ? 'Required' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={window === undefined ? 'Plan maintenance' : `Edit ${window.name}`}
      submitLabel="Save"
      form={form}
      submit={(values) => {
        const body = {
          ...values,
          site_ids: values.site_ids.length === 0 ? null : values.site_ids.map(Number),
          starts_at: isoOf(values.starts_at),
          ends_at: isoOf(values.ends_at),
          time_zone: window?.time_zone ?? ownTimeZone(),
        }
        return window === undefined
          ? answer(api.POST('/api/v1/maintenance-windows', { body }))
          : answer(api.PUT('/api/v1/maintenance-windows/{id}', { params: { path: { id: window.id } }, body }))
      }}
      renew={[keys.uptime]}
    >
      <TextInput label="Name" {...form.getInputProps('name')} />
      <MultiSelect
        label="Sites"
        description="None chosen means all sites."
        searchable
        data={sites.map(({ id, name }) => ({ value: String(id), label: name }))}
        {...form.getInputProps('site_ids')}
      />
      <TextInput type="datetime-local" label="From" {...form.getInputProps('starts_at')} />
      <TextInput type="datetime-local" label="To" {...form.getInputProps('ends_at')} />
      <NativeSelect
        label="Repeats"
        data={[
          { value: 'never', label: 'Never' },
          { value: 'weekly', label: 'Every week' },
        ]}
        {...form.getInputProps('repeats')}
      />
      <Text c="dimmed" size="sm">
        Times are those of {window?.time_zone ?? ownTimeZone()}.
      </Text>
    </FormDialog>
  )
}

/** The server says what is wrong with a time that is none. */
function isoOf(text: string): string {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}

function RemoveWindow({ window, onClose }: { window: MaintenanceWindow; onClose: () => void }) {
  const { id, name } = window
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete window"
      losses={['The plan. Its sites are checked again at once if it holds now.']}
      action={{
        run: () => answer(api.DELETE('/api/v1/maintenance-windows/{id}', { params: { path: { id } } })),
        done: () => `${name} is deleted`,
        renew: [keys.uptime],
      }}
    />
  )
}
