import { answer, SecurityLogPage as SecurityLog, tableAnswer, useSecurityLogState } from '@hearth/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** Sign-ins, refusals, and changes of access. */
export function SecurityLogPage() {
  const { state, query } = useSecurityLogState()
  const log = useQuery({
    queryKey: [...keys.securityLog, query],
    queryFn: () => answer(api.GET('/admin/api/security-log', { params: { query } })),
    placeholderData: keepPreviousData,
    // No event tells that there are new entries.
    refetchOnMount: 'always',
  })
  return (
    <SecurityLog
      path="/admin/api/security-log"
      state={state}
      query={query}
      answer={tableAnswer(log, log.data?.events, log.data?.total)}
    />
  )
}
