import { PasswordInput, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { answer, type Column, ConfirmDelete, DataTable, FormDialog, Section, tableAnswer } from '@hearth/ui'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type Schemas } from '../api.ts'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'

type Account = Schemas['ExternalAccount']
type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; of: Account }

/** Accounts of customers at authorities, for those that take no others. */
export function ExternalAccountsSection({ directory }: { directory: string }) {
  const accounts = useQuery({
    queryKey: keys.externalAccounts,
    queryFn: () => answer(api.GET('/api/external-accounts')),
  })
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="External accounts"
      actions={
        <IconButton icon={IconPlus} onClick={() => setDialog({ kind: 'add' })}>
          Add
        </IconButton>
      }
    >
      <DataTable
        label="External accounts"
        columns={columns((of, kind) => setDialog({ kind, of }))}
        rowKey={({ id }) => id}
        answer={tableAnswer(accounts, accounts.data?.external_accounts)}
        empty={
          <Text c="dimmed">
            None. ZeroSSL, Google and authorities of companies sign for their customers only: enter the key that they
            show in your account there. Let’s Encrypt needs none.
          </Text>
        }
      />
      {dialog?.kind === 'add' && <AccountDialog directory={directory} onClose={close} />}
      {dialog?.kind === 'edit' && <AccountDialog directory={dialog.of.directory} of={dialog.of} onClose={close} />}
      <ConfirmDelete
        opened={dialog?.kind === 'remove'}
        onClose={close}
        title="Remove the external account?"
        verb="Remove"
        losses={['Its key identifier and HMAC key', 'New accounts at this authority; the one that exists goes on']}
        action={{
          run: () => {
            const id = dialog?.kind === 'remove' ? dialog.of.id : ''
            return answer(api.DELETE('/api/external-accounts/{id}', { params: { path: { id } } }))
          },
          done: () => 'The external account is removed',
          renew: [keys.externalAccounts],
        }}
      />
    </Section>
  )
}

function columns(open: (of: Account, kind: 'edit' | 'remove') => void): Column<Account>[] {
  return [
    { key: 'authority', header: 'Authority', role: 'title', render: (of) => <b>{new URL(of.directory).host}</b> },
    { key: 'key', header: 'Key identifier', render: (of) => <span className="hearth-mono">{of.key_id}</span> },
    actionColumn({
      nameOf: ({ directory }) => directory,
      actions: { Change: (of) => open(of, 'edit'), Remove: (of) => open(of, 'remove') },
    }),
  ]
}

const required = isNotEmpty('Required')

interface AccountDialogProps {
  readonly directory: string
  /** The account whose key changes; a new one without it. */
  readonly of?: Account
  readonly onClose: () => void
}

function AccountDialog({ directory, of, onClose }: AccountDialogProps) {
  const form = useForm({
    initialValues: { directory, key_id: of?.key_id ?? '', hmac_key: '' },
    validate: { directory: required, key_id: required, hmac_key: required },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={of === undefined ? 'Add an external account' : `Change the key for ${new URL(directory).host}`}
      submitLabel={of === undefined ? 'Add' : 'Save'}
      form={form}
      submit={({ directory: place, ...body }) =>
        of === undefined
          ? answer(api.POST('/api/external-accounts', { body: { directory: place, ...body } }))
          : answer(api.PUT('/api/external-accounts/{id}', { params: { path: { id: of.id } }, body }))
      }
      renew={[keys.externalAccounts]}
    >
      {of === undefined && (
        <TextInput
          label="Authority"
          description="Address of its ACME directory"
          type="url"
          placeholder="https://acme.zerossl.com/v2/DV90"
          {...form.getInputProps('directory')}
        />
      )}
      <TextInput
        label="Key identifier"
        description="Also called EAB KID"
        spellCheck={false}
        autoComplete="off"
        {...form.getInputProps('key_id')}
      />
      <PasswordInput
        label="HMAC key"
        description="Also called EAB HMAC key. Kept sealed and never shown again"
        spellCheck={false}
        autoComplete="new-password"
        {...form.getInputProps('hmac_key')}
      />
    </FormDialog>
  )
}
