import { Button, NativeSelect, Textarea } from '@mantine/core'
import {
  answer,
  EditUser,
  Fact,
  PageHeader,
  PasswordDialog,
  QueryState,
  RelativeTime,
  Section,
  SignInMethods,
  useSession,
  type Column,
  StatusBadge,
  tableAnswer,
  type TokenAdministration,
  TokenList,
  type TokenValues,
} from '@hearth/ui'
import { IconPassword, IconPencil, IconEye, IconPencilBolt } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys, signInMethods, type User, type Token } from '../api.ts'
import { OwnSessions } from '../users/own-sessions.tsx'
import { userAdministration } from '../users/user-administration.ts'
import type { components } from '../api.gen.ts'

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

interface Values extends TokenValues {
  permissions: components['schemas']['TokenCreate']['permissions']
  /** Addresses separated by commas or lines. */
  ip_whitelist: string
}

/** The signed-in user's API tokens. */
function TokenSection() {
  const { isAdmin } = useSession()
  const tokens = useQuery({ queryKey: keys.tokens, queryFn: () => answer(api.GET('/api/session/tokens')) })
  return (
    <TokenList
      label="API tokens"
      purpose="A token lets a program of yours use the API without your password."
      admin={administrationFor(isAdmin)}
      columns={columns}
      answer={tableAnswer(tokens, tokens.data?.data)}
    >
      {({ create, table }) => (
        <section aria-labelledby="tokens-title" className="token-section">
          <div className="hearth-card-head">
            <h2 id="tokens-title">API tokens</h2>
            {create}
          </div>
          {table}
        </section>
      )}
    </TokenList>
  )
}

const administrationFor = (isAdmin: boolean): TokenAdministration<Token, Values> => ({
  title: 'Create API token',
  initialValues: { name: '', permissions: 'read-only', expires: '1y', ip_whitelist: '' },
  permissionFields: (form) => (
    <NativeSelect
      label="Permissions"
      data={[
        { value: 'read-only', label: 'Read only' },
        ...(isAdmin ? [{ value: 'full', label: 'All your permissions' }] : []),
      ]}
      {...form.getInputProps('permissions')}
    />
  ),
  furtherFields: (form) => (
    <Textarea
      label="Only from these addresses"
      description="Addresses or networks, separated by commas or lines; empty allows every address"
      autosize
      minRows={2}
      {...form.getInputProps('ip_whitelist')}
    />
  ),
  describe: (token) => `The token “${token.name}” (${token.prefix}…)`,
  create: async ({ ip_whitelist: list, ...rest }) => {
    const addresses = list.split(/[\s,]+/).filter((part) => part !== '')
    return (await answer(api.POST('/api/session/tokens', { body: { ...rest, ip_whitelist: addresses } }))).data.token
  },
  revoke: (token) => answer(api.DELETE('/api/session/tokens/{id}', { params: { path: { id: token.id } } })),
  renew: [keys.tokens],
})

const columns: Column<Token>[] = [
  { key: 'prefix', header: 'Begins with', render: (token) => <span className="hearth-mono">{token.prefix}…</span> },
  {
    key: 'permissions',
    header: 'Permissions',
    render: ({ permissions }) => (
      <StatusBadge
        tone={permissions === 'full' ? 'accent' : 'quiet'}
        icon={permissions === 'full' ? IconPencilBolt : IconEye}
      >
        {permissions === 'full' ? 'Full' : 'Read only'}
      </StatusBadge>
    ),
  },
  { key: 'from', header: 'From', render: (token) => token.ip_whitelist.join(', ') || 'everywhere' },
]
