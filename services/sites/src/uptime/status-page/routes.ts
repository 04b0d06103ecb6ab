import type { SecurityLog } from '@hearth/accounts/security-log'
import type { Route } from '@hearth/http'
import { z } from 'zod'
import { route } from '../../access.ts'
import { Done } from '../../accounts/schema.ts'
import { SlugParams, StatusPage, StatusPageCreate, StatusPageValues } from './schema.ts'
import { statusPolicy, unknownStatusHtml } from './status-html.ts'
import type { StatusPages } from './status-pages.ts'

const tag = 'Status pages'
const path = '/api/v1/status-pages'
const read = { tag, method: 'GET', access: 'admin', limit: '60/min' } as const
const write = { tag, access: 'admin', limit: '30/min' } as const

/** Routes of the status pages, and the pages themselves. */
export function statusPageRoutes(pages: StatusPages, securityLog: SecurityLog): Route[] {
  return [...editRoutes(pages, securityLog), pageRoute(pages)]
}

function editRoutes(pages: StatusPages, securityLog: SecurityLog): Route[] {
  const one = { ...write, path: `${path}/{slug}`, params: SlugParams } as const
  /** Who may see what changes with a status page. */
  const changed = (target: string, detail: string) => ({ kind: 'rights_changed', target, detail }) as const
  return [
    route({ ...read, path, summary: 'List status pages', success: { status: 200, body: z.array(StatusPage) } }, () =>
      pages.list(),
    ),
    route(
      {
        ...write,
        method: 'POST',
        path,
        summary: 'Create a status page',
        description: 'A page keeps its address. What it shows of a site is its name there, its state and its times.',
        body: StatusPageCreate,
        success: { status: 201, body: StatusPage },
        errors: [409],
      },
      ({ caller: by, client: from, body }) => {
        const event = changed(`status page ${body.slug}`, body.is_public ? 'created, public' : 'created')
        return securityLog.recordAfter(pages.create(body), { ...event, by, from })
      },
    ),
    route(
      {
        ...one,
        method: 'PUT',
        summary: 'Change a status page',
        body: StatusPageValues,
        success: { status: 200, body: StatusPage },
        errors: [404],
      },
      ({ caller: by, client: from, params, body }) => {
        const event = changed(`status page ${params.slug}`, body.is_public ? 'changed, public' : 'changed, not public')
        return securityLog.recordAfter(pages.update(params.slug, body), { ...event, by, from })
      },
    ),
    route(
      {
        ...one,
        method: 'DELETE',
        summary: 'Delete a status page',
        description: 'A page that a site of kind status shows stays.',
        success: { status: 200, body: Done },
        errors: [404, 409],
      },
      async ({ caller: by, client: from, params }) => {
        const event = changed(`status page ${params.slug}`, 'deleted')
        await securityLog.recordAfter(pages.remove(params.slug), { ...event, by, from })
        return { success: true as const, message: 'Status page deleted' }
      },
    ),
  ]
}

function pageRoute(pages: StatusPages): Route {
  return route(
    {
      method: 'GET',
      path: '/status/{slug}',
      tag,
      summary: 'A status page',
      description: 'For everybody when it is public, for users otherwise. Every other address has the same 404 page.',
      access: 'public',
      limit: '60/min',
      params: SlugParams,
      success: { status: 200, media: 'text/html', description: 'The page' },
      errors: [404],
      errorPages: [404],
    },
    async ({ caller, params, answer }) => {
      const html = await pages.show(params.slug, caller.session !== undefined)
      answer.header('content-type', 'text/html; charset=utf-8')
      answer.header('content-security-policy', statusPolicy)
      answer.header('cache-control', 'no-store')
      if (html === undefined) return { content: unknownStatusHtml(), status: 404 }
      return { content: html }
    },
  )
}
