import { Button } from '@mantine/core'
import {
  answer,
  EditUser,
  Fact,
  PageHeader,
  PasswordDialog,
  QueryState,
  RelativeTime,
  Section,
  useSession,
} from '@hearth/ui'
import { IconPassword, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, type User } from '../api.ts'
import { TokenSection } from '../tokens/token-section.tsx'
import { userAdministration } from '../users/user-administration.ts'

/** The signed-in user's own account and tokens. */
export function ProfilePage() {
  const { user } = useSession()
  const account = useQuery({
    queryKey: [...keys.users, user.id],
    queryFn: async () => (await answer(api.GET('/api/users/{id}', { params: { path: { id: user.id } } }))).data,
  })
  return (
    <>
      <PageHeader title="Profile" />
      <div className="hearth-stack">
        <QueryState query={account} lines={4} />
        {account.data !== undefined && <AccountSection user={account.data} />}
        <TokenSection />
      </div>
    </>
  )
}

function AccountSection({ user }: { user: User }) {
  const [dialog, setDialog] = useState<'edit' | 'password'>()
  const close = () => setDialog(undefined)
  return (
    <Section
      title="Account"
      actions={
        <div className="hearth-page-actions">
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setDialog('edit')}
          >
            Edit
          </Button>
          <Button
            variant="default"
            leftSection={<IconPassword size={16} aria-hidden />}
            onClick={() => setDialog('password')}
          >
            Change password
          </Button>
        </div>
      }
    >
      <dl className="hearth-facts" data-start>
        <Fact name="User name">{user.username}</Fact>
        <Fact name="E-mail">{user.email}</Fact>
        <Fact name="Role">{user.role === 'admin' ? 'Administrator' : 'User'}</Fact>
        <Fact name="Last sign-in">
          <RelativeTime value={user.last_login_at} />
          {user.last_login_ip !== null && ` from ${user.last_login_ip}`}
        </Fact>
      </dl>
      {dialog === 'edit' && <EditUser admin={userAdministration} user={user} onClose={close} />}
      {dialog === 'password' && <PasswordDialog onClose={close} />}
    </Section>
  )
}
