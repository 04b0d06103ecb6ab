import { answer, formatCount, tableAnswer, type UserAdministration, UsersPage as Users } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type User } from '../api.ts'

/** The accounts of the service; administrators only. */
export function UsersPage() {
  const users = useQuery({ queryKey: keys.users, queryFn: () => answer(api.GET('/api/users')) })
  return <Users admin={administration} answer={tableAnswer(users, users.data)} />
}

const administration: UserAdministration<User> = {
  description: 'Who may sign in here, and to protected sites. Add visitors of sites on the page Access.',
  nameHint: 'Letters, digits, dots, underscores or hyphens, at most 50',
  userRole: 'sees dashboard and certificates, changes nothing',
  mayRequirePassword: true,
  columns: [
    {
      key: 'where',
      header: 'Signs in to',
      render: ({ sites_only }) => (sites_only ? 'Sites only' : 'Hearth and sites'),
    },
    { key: 'methods', header: 'Signs in with', render: signInMethods },
  ],
  losses: ({ username, passkeys }) => [
    `The account ${username}`,
    'Its sessions, which end at once',
    passkeys === 0 ? 'Its recovery codes' : `${formatCount(passkeys, 'passkey')} and the recovery codes`,
  ],
  create: async ({ username, password, role, password_change_required }) => {
    const body = { username, password, role, password_change_required, email: null, sites_only: false }
    const created = await answer(api.POST('/api/users', { body }))
    return { message: `${created.username} may sign in now` }
  },
  update: async ({ id }, body) => {
    const saved = await answer(api.PATCH('/api/users/{id}', { params: { path: { id } }, body }))
    return { message: `${saved.username} is saved` }
  },
  remove: ({ id }) => answer(api.DELETE('/api/users/{id}', { params: { path: { id } } })),
  renew: [keys.users],
}

function signInMethods({ has_password: hasPassword, has_openid: hasOpenId, passkeys }: User): string {
  const methods = [
    ...(hasPassword ? ['Password'] : []),
    ...(hasOpenId ? ['OpenID Connect'] : []),
    ...(passkeys > 0 ? [formatCount(passkeys, 'passkey')] : []),
  ]
  return methods.length === 0 ? 'Nothing yet' : methods.join(', ')
}
