import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import { dataEnvelope, done, messageEnvelope, ok, pageEnvelope } from '../envelope.ts'
import type { Publish } from '../service-event.ts'
import { User, UserCreate, UserDeleted, UserListQuery, UserParams, UserUpdate } from './schema.ts'
import type { Users } from './users.ts'

const shared = { tag: 'Users', limit: 'counted' } as const

/** Accounts: administrators manage them, everyone reads and changes their own. */
export function userRoutes(users: Users, publish: Publish): Route[] {
  const changed = (id: string) => publish({ type: 'changed', collection: 'users', id })
  return [...collectionRoutes(users, changed), ...memberRoutes(users, changed)]
}

function collectionRoutes(users: Users, changed: (id: string) => void): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/users',
        summary: 'List users',
        access: 'admin',
        query: UserListQuery,
        success: { status: 200, body: pageEnvelope(User) },
      },
      async ({ query }) => {
        const { rows, total } = await users.list(query)
        return { ...ok(rows), total, limit: query.limit, offset: query.offset }
      },
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/users',
        summary: 'Create a user',
        access: 'admin',
        body: UserCreate,
        success: { status: 201, body: messageEnvelope(User) },
        errors: [409],
      },
      async ({ body }) => {
        const user = await users.create(body)
        changed(user.id)
        return done(user, `User ${user.username} created`)
      },
    ),
  ]
}

function memberRoutes(users: Users, changed: (id: string) => void): Route[] {
  const member = { ...shared, path: '/api/users/{id}', params: UserParams, errors: [404, 409] } as const
  return [
    route(
      {
        ...member,
        method: 'GET',
        summary: 'Read a user',
        description: 'Administrators read everyone, others themselves.',
        access: 'signed-in',
        success: { status: 200, body: dataEnvelope(User) },
      },
      async ({ caller, params }) => ok(await users.get(caller, params.id)),
    ),
    route(
      {
        ...member,
        method: 'PUT',
        summary: 'Change a user',
        description:
          'Members that are left out stay. Others than administrators change themselves only, and neither role nor activation. A password change needs the current one for oneself, and ends the user’s sessions.',
        access: 'signed-in',
        body: UserUpdate,
        success: { status: 200, body: messageEnvelope(User) },
      },
      async ({ caller, params, body }) => {
        const user = await users.update(caller, params.id, body)
        changed(user.id)
        return done(user, `User ${user.username} changed`)
      },
    ),
    route(
      {
        ...member,
        method: 'DELETE',
        summary: 'Delete a user',
        description: 'The user’s sessions and tokens go too.',
        access: 'admin',
        success: { status: 200, body: messageEnvelope(UserDeleted) },
      },
      async ({ caller, params }) => {
        const { id, username } = await users.remove(caller, params.id)
        changed(id)
        return done({ id, username }, `User ${username} deleted`)
      },
    ),
  ]
}
