import { answer, SecurityLogPage as SecurityLog } from '@hearth/ui'
import { api } from '../api.ts'

const path = '/api/security-log'

/** Sign-ins, refusals, and changes of access. */
export function SecurityLogPage() {
  return <SecurityLog path={path} read={(query) => answer(api.GET(path, { params: { query } }))} />
}
