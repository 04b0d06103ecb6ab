import {
  answer,
  formatCount,
  tableAnswer,
  type UserAdministration,
  UsersPage as Users,
  useTableState,
} from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys, type ListedUser } from '../api.ts'
import { userAdministration } from '../users/user-administration.ts'

const pageSize = 25

/** The accounts of the service; administrators only. */
export function UsersPage() {
  const state = useTableState()
  const query = { limit: pageSize, offset: (state.page - 1) * pageSize }
  const users = useQuery({
    queryKey: [...keys.users, query],
    queryFn: () => answer(api.GET('/api/users', { params: { query } })),
    placeholderData: keepPreviousData,
  })
  return (
    <Users
      admin={administration}
      answer={tableAnswer(users, users.data?.data, users.data?.total)}
      state={state}
      pageSize={pageSize}
    />
  )
}

const administration: UserAdministration<ListedUser> = {
  ...userAdministration,
  columns: [{ key: 'methods', header: 'Signs in with', render: signInMethods }],
}

/** Somebody of the provider has no password that anybody knows. */
function signInMethods({ has_openid: hasOpenId, passkeys }: ListedUser): string {
  const first = hasOpenId ? 'OpenID Connect' : 'Password'
  return passkeys === 0 ? first : `${first}, ${formatCount(passkeys, 'passkey')}`
}
