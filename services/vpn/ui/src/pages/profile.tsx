import { Button } from '@mantine/core'
import {
  answer,
  EditUser,
  Fact,
  OwnTokens,
  type OwnTokensApi,
  PageHeader,
  PasswordDialog,
  QueryState,
  RelativeTime,
  Section,
  SignInMethods,
  useSession,
} from '@hearth/ui'
import { IconPassword, IconPencil, IconEye, IconPencilBolt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, signInMethods, type User } from '../api.ts'
import { OwnSessions } from '../users/own-sessions.tsx'
import { userAdministration } from '../users/user-administration.ts'
import type { components } from '../api.gen.ts'

type Permissions = components['schemas']['TokenCreate']['permissions']

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
        <SignInMethods api={signInMethods} service="VPN" />
        <TokenSection />
        <OwnSessions />
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

const ownTokens: OwnTokensApi<Permissions> = {
  list: async () => (await answer(api.GET('/api/session/tokens'))).data,
  create: async (body) => (await answer(api.POST('/api/session/tokens', { body }))).data.token,
  revoke: (id) => answer(api.DELETE('/api/session/tokens/{id}', { params: { path: { id } } })),
}

/** The signed-in user's API tokens. */
function TokenSection() {
  const { isAdmin } = useSession()
  return <OwnTokens api={ownTokens} permissions={[readOnly, { ...full, isListedOnly: !isAdmin }]} />
}

const readOnly = { value: 'read-only', label: 'Read only', badge: 'Read only', icon: IconEye, tone: 'quiet' } as const
const full = {
  value: 'full',
  label: 'All your permissions',
  badge: 'Full',
  icon: IconPencilBolt,
  tone: 'accent',
} as const
