import { answer, SecurityLogPage as SecurityLog, tableAnswer, useSession, useSecurityLogState } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** The security log: all of it for administrators, their own part for others. */
export function SecurityLogPage() {
  const { isAdmin } = useSession()
  const { state, query } = useSecurityLogState()
  const log = useQuery({
    queryKey: [...keys.securityLog, query],
    queryFn: () => answer(api.GET('/api/security-log', { params: { query } })),
    placeholderData: keepPreviousData,
    // No event tells that there are new entries.
    refetchOnMount: 'always',
  })
  return (
    <SecurityLog
      path="/api/security-log"
      isOwn={!isAdmin}
      state={state}
      query={query}
      answer={tableAnswer(log, log.data?.data, log.data?.total)}
    />
  )
}
