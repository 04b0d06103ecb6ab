import { MultiSelect, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { answer, type Column, ConfirmDelete, DataTable, EmptyState, FormDialog, Section, tableAnswer } from '@hearth/ui'
import { IconPlus, IconUsersGroup } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type User } from '../api.ts'
import { actionColumn } from '../controls/action-column.tsx'
import { IconButton } from '../controls/icon-button.tsx'
import { type AccessGroup, useGroups, useUsers } from './read-access.ts'

type Dialog = { kind: 'add' } | { kind: 'edit' | 'remove'; group: AccessGroup }

/** Groups of users, which protected sites name. */
export function GroupSection() {
  const groups = useGroups()
  const { data: users = [] } = useUsers()
  const [dialog, setDialog] = useState<Dialog>()
  const close = () => setDialog(undefined)
  const add = (
    <IconButton icon={IconPlus} size="xs" onClick={() => setDialog({ kind: 'add' })}>
      Add group
    </IconButton>
  )
  return (
    <Section title="Groups" actions={add}>
      <DataTable
        label="Groups"
        columns={columns(users, (group, kind) => setDialog({ kind, group }))}
        rowKey={({ name }) => name}
        answer={tableAnswer(groups, groups.data)}
        empty={
          <EmptyState icon={IconUsersGroup} title="No groups yet">
            A protected site lets members of its groups pass, or every user when it names none.
          </EmptyState>
        }
      />
      {dialog?.kind === 'add' && <GroupDialog users={users} onClose={close} />}
      {dialog?.kind === 'edit' && <GroupDialog users={users} group={dialog.group} onClose={close} />}
      {dialog?.kind === 'remove' && <RemoveGroup group={dialog.group} onClose={close} />}
    </Section>
  )
}

function columns(
  users: readonly User[],
  open: (group: AccessGroup, kind: 'edit' | 'remove') => void,
): Column<AccessGroup>[] {
  const names = new Map(users.map(({ id, username }) => [id, username]))
  return [
    { key: 'name', header: 'Name', role: 'title', render: ({ name }) => <b>{name}</b> },
    {
      key: 'members',
      header: 'Members',
      render: ({ user_ids: ids }) => ids.map((id) => names.get(id) ?? '').join(', ') || 'nobody',
    },
    actionColumn({
      nameOf: ({ name }) => name,
      actions: { Edit: (group) => open(group, 'edit'), Delete: (group) => open(group, 'remove') },
    }),
  ]
}

function GroupDialog({ users, group, onClose }: { users: readonly User[]; group?: AccessGroup; onClose: () => void }) {
  const form = useForm({
    initialValues: { name: group?.name ?? '', user_ids: group?.user_ids ?? [] },
    validate: { name: (name) => (name.trim() === '' ? 'Required' : null) },
  })
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={group === undefined ? 'Add a group' : `Edit ${group.name}`}
      submitLabel="Save"
      form={form}
      submit={({ name, user_ids }) =>
        group === undefined
          ? answer(api.POST('/api/v1/portal/groups', { body: { name, user_ids } }))
          : answer(api.PUT('/api/v1/portal/groups/{name}', { params: { path: { name } }, body: { user_ids } }))
      }
      renew={[keys.groups]}
    >
      <TextInput
        label="Name"
        description="Letters, digits, dots, underscores or hyphens. It cannot be changed later."
        disabled={group !== undefined}
        {...form.getInputProps('name')}
      />
      <MultiSelect
        label="Members"
        searchable
        data={users.map(({ id, username }) => ({ value: id, label: username }))}
        {...form.getInputProps('user_ids')}
      />
    </FormDialog>
  )
}

function RemoveGroup({ group, onClose }: { group: AccessGroup; onClose: () => void }) {
  const { name } = group
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Delete ${name}?`}
      verb="Delete group"
      losses={[`The group ${name} and who is in it`]}
      action={{
        run: () => answer(api.DELETE('/api/v1/portal/groups/{name}', { params: { path: { name } } })),
        done: () => `${name} is deleted`,
        renew: [keys.groups],
      }}
    />
  )
}
