import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { Done, User, UserCreate, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './users.ts'

/** Accounts, for administrators. */
export function userRoutes(users: Users): Route[] {
  const shared = { tag: 'Users', access: 'admin' } as const
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
      ({ body }) => users.create(body),
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
      ({ caller, params, body }) => users.update(caller.userId, params.id, body),
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete a user',
        description: 'Sessions, passkeys and recovery codes go too.',
        success: { status: 200, body: Done },
      },
      async ({ caller, params }) => {
        await users.remove(caller.userId, params.id)
        return { success: true as const, message: 'User deleted' }
      },
    ),
  ]
}
