import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../access.ts'
import { JobPath } from '../jobs/schema.ts'
import {
  Share,
  ShareChange,
  ShareCreate,
  ShareFetchList,
  ShareLink,
  ShareList,
  ShareListQuery,
  SharePath,
  ShareRevoked,
  SharesRevoked,
} from './schema.ts'
import type { Shares } from './shares.ts'

interface ShareFeatures {
  readonly shares: Shares
  /** Returns the beginning of links for a request, such as `https://media.example.org`. */
  readonly linkBase: (client: { origin: string }) => string
}

/** Routes by which share links are made, listed and changed. */
export function shareRoutes(features: ShareFeatures): Route[] {
  return [...routesOfJob(features), ...readRoutes(features), ...writeRoutes(features)]
}

function routesOfJob({ shares, linkBase }: ShareFeatures): Route[] {
  const shared = {
    tag: 'Shares',
    access: 'submitter',
    path: '/api/share/{job_id}',
    limit: '20',
    params: JobPath,
  } as const
  return [
    route(
      {
        ...shared,
        method: 'POST',
        summary: 'Make a link to the file, or give the present one',
        success: { status: 200, body: ShareLink },
        errors: [404],
      },
      ({ params, client }) => shares.createForJob(params.job_id, linkBase(client)),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        summary: 'The links to the file',
        success: { status: 200, body: z.array(ShareLink) },
      },
      ({ params, client }) => shares.listOf(params.job_id, linkBase(client)),
    ),
    route(
      {
        ...shared,
        method: 'DELETE',
        summary: 'Take back every link to the file',
        success: { status: 200, body: SharesRevoked },
      },
      async ({ params }) => ({ ok: true as const, deleted: await shares.revokeOf(params.job_id) }),
    ),
  ]
}

const common = { tag: 'Shares', access: 'submitter', limit: '30' } as const

function readRoutes({ shares, linkBase }: ShareFeatures): Route[] {
  return [
    route(
      {
        ...common,
        method: 'GET',
        path: '/api/shares',
        summary: 'All share links, newest first',
        description: 'Those that ended or were used up are listed for 30 days.',
        query: ShareListQuery,
        success: { status: 200, body: ShareList },
      },
      ({ query, client }) => shares.list(query, linkBase(client)),
    ),
    route(
      {
        ...common,
        method: 'GET',
        path: '/api/shares/{id}/fetches',
        summary: 'What was fetched by a link, newest first',
        description: 'A client and a file once an hour; the newest 1000 of the last 90 days.',
        params: SharePath,
        success: { status: 200, body: ShareFetchList },
        errors: [404],
      },
      ({ params }) => shares.listFetches(params.id),
    ),
  ]
}

function writeRoutes({ shares, linkBase }: ShareFeatures): Route[] {
  return [
    route(
      {
        ...common,
        method: 'POST',
        path: '/api/shares',
        summary: 'Make a link to one or several files',
        description: 'With a title, a password, a number of uses and an end.',
        body: ShareCreate,
        success: { status: 201, body: Share },
        errors: [404, 409, 503],
      },
      ({ body, client }) => shares.create(body, linkBase(client)),
    ),
    route(
      {
        ...common,
        method: 'PATCH',
        path: '/api/shares/{id}',
        summary: 'Change a link',
        description: 'Its address stays. One that has ended works again when its end is moved.',
        params: SharePath,
        body: ShareChange,
        success: { status: 200, body: Share },
        errors: [404, 503],
      },
      ({ params, body, client }) => shares.change(params.id, body, linkBase(client)),
    ),
    route(
      {
        ...common,
        method: 'DELETE',
        path: '/api/shares/{id}',
        summary: 'Take back a link',
        params: SharePath,
        success: { status: 200, body: ShareRevoked },
        errors: [404],
      },
      async ({ params }) => {
        await shares.revoke(params.id)
        return { ok: true as const }
      },
    ),
  ]
}
