import { answer, OwnTokens, type OwnTokensApi } from '@hearth/ui'
import { IconEye, IconPencilBolt, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api, keys, readSession, type TokenPermissions } from '../api.ts'

const calls: OwnTokensApi<TokenPermissions> = {
  list: async () => (await answer(api.GET('/api/session/tokens'))).tokens,
  create: async (body) => (await answer(api.POST('/api/session/tokens', { body }))).token,
  revoke: (id) => answer(api.DELETE('/api/session/tokens/{id}', { params: { path: { id } } })),
}

const read = {
  value: 'read',
  label: 'Read, and download results',
  badge: 'Read',
  icon: IconEye,
  tone: 'quiet',
} as const
const submit = {
  value: 'submit',
  label: 'Read, submit and work on jobs',
  badge: 'Submit',
  icon: IconUpload,
  tone: 'accent',
} as const
const full = {
  value: 'full',
  label: 'Everything but sign-in, tokens and keys',
  badge: 'Full',
  icon: IconPencilBolt,
  tone: 'warn',
} as const

/** Returns true where the operator switched API tokens on. */
export function useHasTokens(): boolean {
  const session = useQuery({ queryKey: keys.session, queryFn: readSession })
  return session.data?.api_tokens === true
}

/** The API tokens of the account, where there are any. */
export function MediaTokens() {
  return useHasTokens() && <OwnTokens api={calls} permissions={[read, submit, full]} />
}
