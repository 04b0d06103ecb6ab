import { Button, Group } from '@mantine/core'
import { answer, type Column, DataTable, PageHeader, RelativeTime, StatusBadge, useSession } from '@hearth/ui'
import {
  IconBan,
  IconCircleCheck,
  IconKey,
  IconPencil,
  IconPlus,
  IconShieldStar,
  IconTrash,
  IconUser,
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type User } from '../api.ts'
import { CreateUser, DeleteUser, EditUser } from '../users/user-dialogs.tsx'

/** The accounts of the service; administrators only. */
export function UsersPage() {
  const [isCreating, setCreating] = useState(false)
  const users = useQuery({ queryKey: keys.users, queryFn: () => answer(api.GET('/api/users')) })
  return (
    <>
      <PageHeader
        title="Users"
        description="Who may sign in here. Visitors of your sites need no user."
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            Add user
          </Button>
        }
      />
      <DataTable
        label="Users"
        columns={columns}
        rowKey={(user) => user.id}
        dimmed={(user) => !user.is_active}
        answer={{
          rows: users.data,
          total: users.data?.length ?? 0,
          error: users.error,
          retry: () => void users.refetch(),
        }}
        empty={null}
      />
      {isCreating && <CreateUser onClose={() => setCreating(false)} />}
    </>
  )
}

const columns: Column<User>[] = [
  {
    key: 'username',
    header: 'User name',
    role: 'title',
    render: (user) => <span className="hearth-name">{user.username}</span>,
  },
  { key: 'role', header: 'Role', render: (user) => <RoleBadge role={user.role} /> },
  { key: 'state', header: 'State', render: (user) => <UserState user={user} /> },
  { key: 'ways', header: 'Signs in with', render: waysIn },
  { key: 'last_login_at', header: 'Last sign-in', render: (user) => <RelativeTime value={user.last_login_at} /> },
  { key: 'actions', header: 'Actions', role: 'actions', render: (user) => <UserActions user={user} /> },
]

function waysIn({ has_password: hasPassword, passkeys }: User): string {
  const keys = passkeys === 1 ? '1 passkey' : `${passkeys} passkeys`
  if (passkeys === 0) return hasPassword ? 'Password' : 'Nothing yet'
  return hasPassword ? `Password, ${keys}` : keys
}

function RoleBadge({ role }: { role: User['role'] }) {
  const isAdmin = role === 'admin'
  return (
    <StatusBadge tone={isAdmin ? 'accent' : 'quiet'} icon={isAdmin ? IconShieldStar : IconUser}>
      {isAdmin ? 'Administrator' : 'User'}
    </StatusBadge>
  )
}

function UserState({ user }: { user: User }) {
  if (!user.is_active)
    return (
      <StatusBadge tone="warn" icon={IconBan}>
        May not sign in
      </StatusBadge>
    )
  if (user.password_change_required)
    return (
      <StatusBadge tone="warn" icon={IconKey}>
        New password needed
      </StatusBadge>
    )
  return (
    <StatusBadge tone="good" icon={IconCircleCheck}>
      Active
    </StatusBadge>
  )
}

function UserActions({ user }: { user: User }) {
  const isSelf = useSession().user.id === user.id
  const [dialog, setDialog] = useState<'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  return (
    <Group gap="xs" wrap="nowrap" justify="flex-end">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPencil size={14} aria-hidden />}
        aria-label={`Edit ${user.username}`}
        onClick={() => setDialog('edit')}
      >
        Edit
      </Button>
      {!isSelf && (
        <Button
          size="xs"
          variant="default"
          c="var(--hearth-bad)"
          leftSection={<IconTrash size={14} aria-hidden />}
          aria-label={`Delete ${user.username}`}
          onClick={() => setDialog('delete')}
        >
          Delete
        </Button>
      )}
      {dialog === 'edit' && <EditUser user={user} onClose={close} />}
      {dialog === 'delete' && <DeleteUser user={user} onClose={close} />}
    </Group>
  )
}
