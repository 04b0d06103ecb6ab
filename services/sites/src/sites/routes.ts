import type { InvalidBody, Route } from '@hearth/http'
import { z } from 'zod'
import { isRecent, reauthenticationRequired, route, type Administrator } from '../access.ts'
import { badRequest } from '../problems.ts'
import { Explanation, ExplainQuery, Preview, type ExplainSite } from './preview-schema.ts'
import { EditQuery, SiteDeleted, SiteEnvelope, SiteListQuery, SiteParams } from './list-schema.ts'
import { Site, SiteCreate, SitePatch } from './schema.ts'
import type { EditOptions, SiteEdit, Sites } from './sites.ts'
import type { Synced } from './sync.ts'

/** An edit takes as long as Caddy needs; ten a minute would make work on many sites impossible, and Caddy gets one change for many. */
const edits = '60/min'
const shared = { tag: 'Sites', access: 'editor' } as const
const one = { ...shared, path: '/api/sites/{id}', params: SiteParams } as const

/** Dependencies of the endpoints beside the sites. */
export interface SiteRoutesDependencies {
  readonly explain: ExplainSite
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** The endpoints that read, edit, preview and explain sites. */
export function siteRoutes(sites: Sites, { explain, now }: SiteRoutesDependencies): Route[] {
  return [
    ...readRoutes(sites),
    createRoute(sites, now),
    ...changeRoutes(sites, now),
    ...previewRoutes(sites),
    explainRoute(explain),
  ]
}

function explainRoute(explain: ExplainSite): Route {
  return route(
    {
      ...shared,
      method: 'GET',
      path: '/api/sites/explain',
      summary: 'What would become of a request',
      description: 'Thought through with what is wanted now; nobody is asked.',
      limit: '60/min',
      query: ExplainQuery,
      success: { status: 200, body: Explanation },
      errors: [409],
    },
    ({ query }) => explain(query),
  )
}

function previewRoutes(sites: Sites): Route[] {
  const previews = { ...shared, method: 'POST', limit: '60/min', success: { status: 200, body: Preview } } as const
  const description = 'Nothing is changed. Caddy is asked for a dry run of the whole configuration.'
  return [
    route(
      {
        ...previews,
        path: '/api/sites/preview',
        summary: 'Show what a new site would change',
        description,
        body: SiteCreate,
        findMoreIssues: besideShape(sites, false),
      },
      ({ body }) => sites.preview(undefined, body),
    ),
    route(
      {
        ...previews,
        path: '/api/sites/{id}/preview',
        summary: 'Show what an edit would change',
        description,
        params: SiteParams,
        body: SitePatch,
        findMoreIssues: besideShape(sites, true),
      },
      ({ params, body }) => sites.preview(params.id, body),
    ),
  ]
}

function readRoutes(sites: Sites): Route[] {
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/sites',
        summary: 'List sites',
        description: 'One page of them; `X-Total-Count` says how many fit.',
        limit: '60/min',
        query: SiteListQuery,
        success: { status: 200, body: z.array(Site) },
      },
      async ({ query, answer }) => {
        const { rows, total } = await sites.list(query)
        answer.header('x-total-count', String(total))
        return rows
      },
    ),
    route(
      { ...one, method: 'GET', summary: 'Read a site', limit: '60/min', success: { status: 200, body: Site } },
      async ({ params, answer }) => {
        const site = await sites.get(params.id)
        answer.header('etag', etagOf(site))
        return site
      },
    ),
  ]
}

function createRoute(sites: Sites, now: () => number): Route {
  return route(
    {
      ...shared,
      method: 'POST',
      path: '/api/sites',
      summary: 'Add a site',
      description:
        'It is served when the answer comes. A site that Caddy refuses is not kept, and the answer has its words.',
      limit: edits,
      query: EditQuery,
      body: SiteCreate,
      findMoreIssues: besideShape(sites, false),
      success: { status: 201, body: SiteEnvelope },
      errors: [409, 503],
    },
    async ({ body, query, caller, answer }) => {
      assertMayRaw(caller, body, now())
      const edit = await sites.create(body, { author: caller.username, isWaiting: query.wait })
      answer.header('location', `/api/sites/${edit.site.id}`)
      return envelope(edit, answer)
    },
  )
}

const editErrors = [404, 409, 412, 503]

function changeRoutes(sites: Sites, now: () => number): Route[] {
  const changes = {
    ...one,
    limit: edits,
    query: EditQuery,
    success: { status: 200, body: SiteEnvelope },
    errors: editErrors,
  } as const
  const description = 'With `If-Match` only when the site is still that revision (412).'
  return [
    route(
      {
        ...changes,
        method: 'PATCH',
        summary: 'Change members of a site',
        description,
        body: SitePatch,
        findMoreIssues: besideShape(sites, true),
      },
      async ({ params, body, query, caller, header, answer }) => {
        if (Object.keys(body).length === 0) throw badRequest('The body must change at least one member')
        assertMayRaw(caller, body, now())
        const options = optionsOf(caller.username, query.wait, header('if-match'))
        return envelope(await sites.edit(params.id, body, options), answer)
      },
    ),
    route(
      {
        ...changes,
        method: 'PUT',
        summary: 'Replace a site',
        description,
        body: SiteCreate,
        findMoreIssues: besideShape(sites, false),
      },
      async ({ params, body, query, caller, header, answer }) => {
        assertMayRaw(caller, body, now())
        const options = optionsOf(caller.username, query.wait, header('if-match'))
        return envelope(await sites.edit(params.id, body, options), answer)
      },
    ),
    route(
      {
        ...changes,
        method: 'DELETE',
        summary: 'Remove a site',
        description,
        success: { status: 200, body: SiteDeleted },
      },
      async ({ params, query, caller, header }) => {
        const options = optionsOf(caller.username, query.wait, header('if-match'))
        const { synced } = await sites.remove(params.id, options)
        return { status: 'deleted' as const, id: params.id, ...syncMembers(synced) }
      },
    ),
  ]
}

/** Has the rules speak too when a body does not have the right shape, so that one answer names all that is wrong. */
function besideShape(sites: Sites, isPatch: boolean) {
  return async ({ params, body, fields }: InvalidBody) => {
    const { id } = params as { id?: number }
    const edit = { id, isPatch, body, fields: fields.map(({ path }) => path) }
    return (await sites.issuesBeside(edit)).map(({ field, message }) => ({ path: field, code: 'rule', message }))
  }
}

/** Directives reach further than the members of a site, so whoever writes them proves once more who they are. */
function assertMayRaw(
  caller: Administrator,
  body: { kind?: string | undefined; raw_directives?: string | null | undefined },
  now: number,
): void {
  const isRaw = body.kind === 'raw' || typeof body.raw_directives === 'string'
  if (isRaw && !isRecent(caller, now)) throw reauthenticationRequired()
}

const etagOf = ({ revision }: Pick<Site, 'revision'>): string => `"${revision}"`

function optionsOf(author: string, isWaiting: boolean, ifMatch: string | undefined): EditOptions {
  const options = { author, isWaiting }
  if (ifMatch === undefined || ifMatch.trim() === '*') return options
  const revision = /^(?:W\/)?"(\d{1,9})"$/.exec(ifMatch.trim())?.[1]
  // A tag that no revision ever had fits none.
  return { ...options, revision: revision === undefined ? -1 : Number(revision) }
}

function envelope(
  { status, site, synced }: SiteEdit,
  answer: { header(name: string, value: string): void },
): SiteEnvelope {
  answer.header('etag', etagOf(site))
  return { status: status === 'deleted' ? 'no_change' : status, site, ...syncMembers(synced) }
}

function syncMembers({ status, sha, error }: Synced) {
  return {
    sync_status: status,
    synced: status === 'synced' || status === 'no_change',
    config_sha256: sha ?? null,
    sync_error: error ?? null,
  }
}
