import { answer, tableAnswer, UsersPage as Users, useTableState } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
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
      admin={userAdministration}
      answer={tableAnswer(users, users.data?.data, users.data?.total)}
      state={state}
      pageSize={pageSize}
    />
  )
}
