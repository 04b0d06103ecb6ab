import { eventOfUserChange } from '@hearth/accounts'
import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { Done, User, UserCreate, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './users.ts'

/** Accounts, for administrators. */
export function userRoutes({ users, securityLog }: { users: Users; securityLog: SecurityLog }): Route[] {
  const shared = { tag: 'Users', access: 'admin-session' } as const
  const all = { ...shared, path: '/api/users' } as const
  const one = { ...shared, path: '/api/users/{id}', params: UserParams, limit: '30/min', errors: [404, 409] } as const
  return [
    route(
      {
        ...all,
        method: 'GET',
        summary: 'List users',
        limit: '60/min',
        success: { status: 200, body: z.array(User) },
      },
      () => users.list(),
    ),
    route(
      {
        ...all,
        method: 'POST',
        summary: 'Create a user',
        limit: '10/min',
        body: UserCreate,
        success: { status: 201, body: User },
        errors: [409],
      },
      ({ caller: by, body, client: from }) => {
        const event = { kind: 'user_created', by, from, target: body.username, detail: `role: ${body.role}` } as const
        return securityLog.recordAfter(users.create(body), event)
      },
    ),
    route(
      {
        ...one,
        method: 'PATCH',
        summary: 'Change a user',
        description:
          'A new password, another role and being disabled end the user’s sessions. One’s own role stays, and so does the last administrator.',
        body: UserUpdate,
        success: { status: 200, body: User },
      },
      ({ caller: by, params, body, client: from }) => {
        const event = { ...eventOfUserChange(body), by, from }
        return securityLog.recordAfter(users.update(by.userId, params.id, body), ({ username: target }) => ({
          ...event,
          target,
        }))
      },
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete a user',
        description: 'Sessions, passkeys and recovery codes go too.',
        success: { status: 200, body: Done },
      },
      async ({ caller: by, params, client: from }) => {
        const event = { kind: 'user_deleted', by, from } as const
        const removal = users.remove(by.userId, params.id)
        await securityLog.recordAfter(removal, ({ username: target }) => ({ ...event, target }))
        return { success: true as const, message: 'User deleted' }
      },
    ),
  ]
}
