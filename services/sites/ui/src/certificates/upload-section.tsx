import { NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import {
  answer,
  type Column,
  ConfirmDelete,
  DataTable,
  EmptyState,
  formatCount,
  FormDialog,
  RelativeTime,
  Section,
  tableAnswer,
} from '@hearth/ui'
import { isNotEmpty, useForm } from '@mantine/form'
import { IconCertificate, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { api, keys } from '../api.ts'
import { type UploadedCertificate, useUploads } from './read-certificates.ts'

type Dialog = { kind: 'add' } | { kind: 'renew' | 'remove'; of: UploadedCertificate }

/** Certificates people bring themselves, and authorities of servers and visitors. */
export function UploadSection() {
  const uploads = useUploads()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const rows = uploads.data?.certificates.filter(({ order_id: order }) => order === null)
  return (
    <Section
      title="Uploaded"
      actions={
        <IconButton icon={IconUpload} size="xs" onClick={() => setDialog({ kind: 'add' })}>
          Upload
        </IconButton>
      }
    >
      <DataTable
        label="Uploaded certificates"
        columns={columns((of, kind) => setDialog({ kind, of }))}
        rowKey={({ id }) => String(id)}
        answer={tableAnswer(uploads, rows)}
        empty={
          <EmptyState icon={IconCertificate} title="Nothing was uploaded">
            Caddy gets certificates by itself. Upload one with its key only when it has to be yours, or an authority
            that signs your servers or visitors.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <AddDialog onClose={close} />}
      {dialog?.kind === 'renew' && <RenewDialog of={dialog.of} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveDialog of={dialog.of} onClose={close} />}
    </Section>
  )
}

function columns(open: (of: UploadedCertificate, kind: 'renew' | 'remove') => void): Column<UploadedCertificate>[] {
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
    {
      key: 'kind',
      header: 'Kind',
      render: ({ kind, key }) => (kind === 'certificate' ? `Certificate, ${key}` : 'Authority'),
    },
    { key: 'names', header: 'For', render: ({ names, subject }) => (names.length === 0 ? subject : names.join(', ')) },
    { key: 'expires', header: 'Expires', render: ({ not_after: end }) => <RelativeTime value={end} /> },
    {
      key: 'used',
      header: 'Used by',
      render: ({ used_by: sites }) => (sites.length === 0 ? 'nobody' : formatCount(sites.length, 'site')),
    },
    actionColumn({
      nameOf: ({ name }) => name,
      actions: { Renew: (of) => open(of, 'renew'), Remove: (of) => open(of, 'remove') },
    }),
  ]
}

const needed = isNotEmpty('Required')

const pem = '-----BEGIN CERTIFICATE-----'

function AddDialog({ onClose }: { onClose: () => void }) {
  const form = useForm({
    initialValues: { name: '', kind: 'certificate', certificate: '', private_key: '' },
    validate: { name: needed, certificate: needed },
  })
  const isAuthority = form.getValues().kind === 'authority'
  return (
    <FormDialog
      opened
      onClose={onClose}
      size="lg"
      title="Upload a certificate"
      submitLabel="Upload"
      form={form}
      submit={({ kind, private_key: key, ...rest }) => {
        const isCertificate = kind === 'certificate'
        const body = { ...rest, kind: isCertificate ? ('certificate' as const) : ('authority' as const) }
        return answer(api.POST('/api/certificates', { body: { ...body, private_key: isCertificate ? key : '' } }))
      }}
      renew={[keys.certificates]}
    >
      <TextInput label="Name" placeholder="Company wildcard" {...form.getInputProps('name')} />
      <NativeSelect
        label="Kind"
        data={[
          { value: 'certificate', label: 'Certificate with its key' },
          { value: 'authority', label: 'Authority, without a key' },
        ]}
        {...form.getInputProps('kind')}
      />
      <PemFields form={form} hasKey={!isAuthority} />
    </FormDialog>
  )
}

function PemFields(props: {
  form: { getInputProps: (name: 'certificate' | 'private_key') => object }
  hasKey: boolean
}) {
  const { form, hasKey } = props
  const shared = { autosize: true, minRows: 4, maxRows: 10, classNames: { input: 'mono-input' }, spellCheck: false }
  return (
    <>
      <Textarea
        label="Certificate"
        description="PEM, with its chain in any order"
        placeholder={pem}
        {...shared}
        {...form.getInputProps('certificate')}
      />
      {hasKey && (
        <Textarea
          label="Key"
          description="PEM, without a passphrase. It is kept sealed and never shown again."
          placeholder="-----BEGIN PRIVATE KEY-----"
          {...shared}
          {...form.getInputProps('private_key')}
        />
      )}
    </>
  )
}

function RenewDialog({ of, onClose }: { of: UploadedCertificate; onClose: () => void }) {
  const form = useForm({ initialValues: { certificate: '', private_key: '' }, validate: { certificate: needed } })
  return (
    <FormDialog
      opened
      onClose={onClose}
      size="lg"
      title={`Renew ${of.name}`}
      submitLabel="Put in place"
      form={form}
      submit={(body) => answer(api.PUT('/api/certificates/{id}', { params: { path: { id: of.id } }, body }))}
      renew={[keys.certificates]}
    >
      <Text size="sm">
        {of.used_by.length === 0
          ? 'No site uses it.'
          : `${formatCount(of.used_by.length, 'site')} that ${of.used_by.length === 1 ? 'uses' : 'use'} it get the new one at once.`}
      </Text>
      <PemFields form={form} hasKey={of.kind === 'certificate'} />
    </FormDialog>
  )
}

function RemoveDialog({ of, onClose }: { of: UploadedCertificate; onClose: () => void }) {
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove ${of.name}?`}
      verb="Remove"
      losses={[
        of.kind === 'certificate'
          ? 'The certificate and its key as they are kept here'
          : 'The authority as it is kept here',
        ...(of.used_by.length === 0
          ? []
          : [
              `${formatCount(of.used_by.length, 'site')} would be without it, so it is refused until they have another`,
            ]),
      ]}
      action={{
        run: () => answer(api.DELETE('/api/certificates/{id}', { params: { path: { id: of.id } } })),
        done: () => `${of.name} is removed`,
        renew: [keys.certificates],
      }}
    />
  )
}
