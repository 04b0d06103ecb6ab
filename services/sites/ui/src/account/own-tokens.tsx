import { answer, OwnTokens, type OwnTokensApi, useSession } from '@hearth/ui'
import { IconEye, IconPencil, IconPencilBolt } from '@tabler/icons-react'
import { api, type Schemas } from '../api.ts'

type Permissions = Schemas['TokenCreate']['permissions']

const calls: OwnTokensApi<Permissions> = {
  list: async () => (await answer(api.GET('/api/session/tokens'))).tokens,
  create: async (body) => (await answer(api.POST('/api/session/tokens', { body }))).token,
  revoke: (id) => answer(api.DELETE('/api/session/tokens/{id}', { params: { path: { id } } })),
}

const read = { value: 'read', label: 'Read', badge: 'Read', icon: IconEye, tone: 'quiet' } as const
const edit = {
  value: 'edit',
  label: 'Read, edit and apply sites',
  badge: 'Edit sites',
  icon: IconPencil,
  tone: 'accent',
} as const
const full = {
  value: 'full',
  label: 'Everything but users, tokens and ways to sign in',
  badge: 'Full',
  icon: IconPencilBolt,
  tone: 'warn',
} as const

/** The API tokens of the signed-in user; those of people who are no administrators only read. */
export function SiteTokens() {
  const { isAdmin } = useSession()
  const isListedOnly = !isAdmin
  return <OwnTokens api={calls} permissions={[read, { ...edit, isListedOnly }, { ...full, isListedOnly }]} />
}
