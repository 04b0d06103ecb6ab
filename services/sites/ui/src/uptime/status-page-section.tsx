import { Anchor, MultiSelect, Switch, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  FormDialog,
  formatCount,
  Section,
  StatusBadge,
  tableAnswer,
} from '@hearth/ui'
import { IconBroadcast, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { type StatusPage, useStatusPages } from './read-uptime.ts'
import { type NamedSite, useSiteNames } from './site-names.ts'

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; page: StatusPage }

/** Pages that show the state of chosen sites, to everybody or to users. */
export function StatusPageSection() {
  const pages = useStatusPages()
  const sites = useSiteNames()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Status pages"
      actions={
        <IconButton icon={IconPlus} size="xs" onClick={() => setDialog({ kind: 'add' })}>
          Add status page
        </IconButton>
      }
    >
      <DataTable
        label="Status pages"
        columns={columns((page, kind) => setDialog({ kind, page }))}
        rowKey={({ slug }) => slug}
        answer={tableAnswer(pages, pages.data)}
        empty={
          <EmptyState icon={IconBroadcast} title="No status pages yet">
            A status page shows names, states and incidents of the sites that you choose, and nothing else. To give one
            its own domain, add a site of the type “Status page”.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <StatusPageDialog sites={sites} onClose={close} />}
      {dialog?.kind === 'edit' && <StatusPageDialog sites={sites} page={dialog.page} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveStatusPage page={dialog.page} onClose={close} />}
    </Section>
  )
}

function columns(open: (page: StatusPage, kind: 'edit' | 'remove') => void): Column<StatusPage>[] {
  return [
    {
      key: 'title',
      header: 'Title',
      role: 'title',
      render: ({ title, path }) => (
        <Anchor href={path} target="_blank" rel="noreferrer">
          {title}
        </Anchor>
      ),
    },
    { key: 'path', header: 'Address', render: ({ path }) => <span className="hearth-mono">{path}</span> },
    { key: 'sites', header: 'Sites', render: ({ sites }) => formatCount(sites.length, 'site') },
    {
      key: 'public',
      header: 'For',
      render: ({ is_public: isPublic }) => (
        <StatusBadge tone={isPublic ? 'accent' : 'quiet'}>{isPublic ? 'Everybody' : 'Users'}</StatusBadge>
      ),
    },
    actionColumn({
      nameOf: ({ title }) => title,
      actions: { Edit: (page) => open(page, 'edit'), Delete: (page) => open(page, 'remove') },
    }),
  ]
}

function StatusPageDialog(props: { sites: readonly NamedSite[]; page?: StatusPage; onClose: () => void }) {
  const { sites, page, onClose } = props
  const form = useForm({
    initialValues: {
      slug: page?.slug ?? '',
      title: page?.title ?? '',
      description: page?.description ?? '',
      is_public: page?.is_public ?? false,
      sites: page?.sites.map(({ site_id: id }) => String(id)) ?? [],
    },
    validate: {
      slug: (slug) => (slug === '' ? 'Required' : null),
      title: (title) => (title.trim() === '' ? 'Required' : null),
      sites: (chosen) => (chosen.length === 0 ? 'Choose at least one' : null),
    },
  })
  const known = new Map(page?.sites.map(({ site_id: id, name }) => [id, name]))
  const names = new Map(sites.map(({ id, name }) => [id, name]))
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={page === undefined ? 'Add a status page' : `Edit ${page.title}`}
      submitLabel="Save"
      form={form}
      submit={({ slug, sites: chosen, ...values }) => {
        const shown = chosen
          .map(Number)
          .map((id) => ({ site_id: id, name: known.get(id) ?? names.get(id) ?? `Site ${id}` }))
        const body = { ...values, sites: shown }
        return page === undefined
          ? answer(api.POST('/api/v1/status-pages', { body: { ...body, slug } }))
          : answer(api.PUT('/api/v1/status-pages/{slug}', { params: { path: { slug: page.slug } }, body }))
      }}
      renew={[keys.statusPages]}
    >
      <TextInput label="Title" {...form.getInputProps('title')} />
      <TextInput
        label="Address"
        description="The last part, below /status/. It cannot be changed later."
        placeholder="home"
        disabled={page !== undefined}
        {...form.getInputProps('slug')}
      />
      <Textarea label="Description" autosize minRows={2} {...form.getInputProps('description')} />
      <MultiSelect
        label="Sites"
        searchable
        data={sites.map(({ id, name }) => ({ value: String(id), label: name }))}
        {...form.getInputProps('sites')}
      />
      <Switch
        label="For everybody"
        description="Whoever knows the address sees the names, states and incidents of these sites. Otherwise users of this service do."
        {...form.getInputProps('is_public', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}

function RemoveStatusPage({ page, onClose }: { page: StatusPage; onClose: () => void }) {
  const { slug, title } = page
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${title}?`}
      verb="Delete status page"
      losses={[`The page at /status/${slug}. The results of the checks stay.`]}
      action={{
        run: () => answer(api.DELETE('/api/v1/status-pages/{slug}', { params: { path: { slug } } })),
        done: () => `${title} is deleted`,
        renew: [keys.statusPages],
      }}
    />
  )
}
