import { Button, Group } from '@mantine/core'
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
import { useState } from 'react'
import { type Column, DataTable, type TableAnswer } from '../data-table.tsx'
import { PageHeader } from '../page-parts.tsx'
import { RelativeTime } from '../relative-time.tsx'
import { useSession } from '../session-store.ts'
import { StatusBadge } from '../status-badge.tsx'
import type { TableState } from '../table-state.ts'
import { CreateUser, DeleteUser, EditUser } from './user-dialogs.tsx'
import type { UserAdministration, UserRow } from './users.ts'

interface UsersPageProps<User extends UserRow> {
  admin: UserAdministration<User>
  answer: TableAnswer<User>
  /** For a list that is read page by page. */
  state?: TableState
  pageSize?: number
}

/** The accounts of a service, for administrators. */
export function UsersPage<User extends UserRow>({ admin, ...table }: UsersPageProps<User>) {
  const [isCreating, setCreating] = useState(false)
  return (
    <>
      <PageHeader
        title="Users"
        description={admin.description}
        actions={
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            Add user
          </Button>
        }
      />
      <DataTable
        label="Users"
        columns={columnsOf(admin)}
        rowKey={(user) => user.id}
        dimmed={(user) => !user.is_active}
        empty={null}
        {...table}
      />
      {isCreating && <CreateUser admin={admin} onClose={() => setCreating(false)} />}
    </>
  )
}

function columnsOf<User extends UserRow>(admin: UserAdministration<User>): Column<User>[] {
  const email: Column<User> = { key: 'email', header: 'E-mail', render: (user) => user.email }
  return [
    {
      key: 'username',
      header: 'User name',
      role: 'title',
      render: (user) => <span className="hearth-name">{user.username}</span>,
    },
    ...(admin.hasEmail === true ? [email] : []),
    { key: 'role', header: 'Role', render: (user) => <RoleBadge role={user.role} /> },
    { key: 'state', header: 'State', render: (user) => <UserState user={user} /> },
    ...(admin.columns ?? []),
    { key: 'last_login_at', header: 'Last sign-in', render: (user) => <RelativeTime value={user.last_login_at} /> },
    {
      key: 'actions',
      header: 'Actions',
      role: 'actions',
      render: (user) => <RowActions admin={admin} user={user} />,
    },
  ]
}

function RoleBadge({ role }: { role: UserRow['role'] }) {
  const isAdmin = role === 'admin'
  return (
    <StatusBadge tone={isAdmin ? 'accent' : 'quiet'} icon={isAdmin ? IconShieldStar : IconUser}>
      {isAdmin ? 'Administrator' : 'User'}
    </StatusBadge>
  )
}

function UserState({ user }: { user: UserRow }) {
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

function RowActions<User extends UserRow>({ admin, user }: { admin: UserAdministration<User>; user: User }) {
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
      {dialog === 'edit' && <EditUser admin={admin} user={user} onClose={close} />}
      {dialog === 'delete' && <DeleteUser admin={admin} user={user} onClose={close} />}
    </Group>
  )
}
