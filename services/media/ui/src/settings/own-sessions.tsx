import { answer, SessionList, tableAnswer } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys } from '../api.ts'

/** The sessions of the signed-in user. */
export function OwnSessions() {
  const sessions = useQuery({ queryKey: keys.sessions, queryFn: () => answer(api.GET('/api/sessions')) })
  return (
    <SessionList
      answer={tableAnswer(sessions, sessions.data?.sessions)}
      end={(id) => answer(api.DELETE('/api/sessions/{id}', { params: { path: { id } } }))}
      renew={[keys.sessions]}
    />
  )
}
