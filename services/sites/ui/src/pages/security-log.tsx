import { answer, SecurityLogPage as SecurityLog, useSession } from '@hearth/ui'
import { api } from '../api.ts'

const path = '/api/security-log'

/** The security log: all of it for administrators, their own part for others. */
export function SecurityLogPage() {
  const { isAdmin } = useSession()
  return <SecurityLog path={path} isOwn={!isAdmin} read={(query) => answer(api.GET(path, { params: { query } }))} />
}
