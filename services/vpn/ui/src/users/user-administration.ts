import { answer, type UserAdministration } from '@hearth/ui'
import { api, keys, type User } from '../api.ts'

/** The users of this service: what the pages say about them and the calls that change them. */
export const userAdministration: UserAdministration<User> = {
  description: 'Who may sign in here. Devices on the VPN need no user.',
  nameHint: 'Small letters and digits, with single “.”, “-” or “_” between them',
  userRole: 'looks, changes nothing',
  hasEmail: true,
  losses: (user) => [
    `The account ${user.username} (${user.email})`,
    'Its sessions, which end at once',
    'Its API tokens',
  ],
  create: (body) => answer(api.POST('/api/users', { body })),
  update: (user, body) => answer(api.PUT('/api/users/{id}', { params: { path: { id: user.id } }, body })),
  remove: (user) => answer(api.DELETE('/api/users/{id}', { params: { path: { id: user.id } } })),
  renew: [keys.users],
}
