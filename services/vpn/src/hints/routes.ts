import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { dataEnvelope, done, idText, messageEnvelope, ok } from '../envelope.ts'
import type { Hints } from './hints.ts'
import { Hint, HintAnswer, HintException, HintList, HintQuery } from './schema.ts'

// They say where people are and what they look up.
const shared = { tag: 'Hints', access: 'admin', limit: 'counted' } as const
const params = z.object({ id: idText })

/** Hints at something unusual, for administrators. */
export function hintRoutes(hints: Hints): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/hints',
        summary: 'List hints',
        description: 'Newest first. Hints are deleted 90 days after they were found last.',
        query: HintQuery,
        success: { status: 200, body: dataEnvelope(HintList) },
      },
      async ({ query }) => ok(await hints.list(query)),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/hints/{id}',
        summary: 'Read a hint',
        params,
        success: { status: 200, body: dataEnvelope(Hint) },
        errors: [404],
      },
      async ({ params: { id } }) => ok(await hints.read(id)),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/hints/{id}/answer',
        summary: 'Mark a hint as done or expected',
        description: 'What is expected makes no hint any more, see `/api/hint-exceptions`.',
        params,
        body: HintAnswer,
        success: { status: 200, body: messageEnvelope(Hint) },
        errors: [404],
      },
      async ({ params: { id }, body, caller }) => {
        const hint = await hints.answer(id, body, caller.username)
        return done(hint, body.answer === 'done' ? 'Marked as done' : 'Marked as expected')
      },
    ),
    ...exceptionRoutes(hints),
  ]
}

function exceptionRoutes(hints: Hints): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/hint-exceptions',
        summary: 'List what is expected',
        description: 'All of them, at most 1000.',
        success: { status: 200, body: dataEnvelope(z.array(HintException).meta({ id: 'HintExceptions' })) },
      },
      () => ok(hints.exceptions()),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        path: '/api/hint-exceptions/{id}',
        summary: 'Expect something no longer',
        params,
        success: { status: 200, body: messageEnvelope(HintException) },
        errors: [404],
      },
      async ({ params: { id } }) => done(await hints.deleteException(id), 'It makes hints again'),
    ),
  ]
}
