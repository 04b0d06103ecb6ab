import type { FastifySchema } from 'fastify'
import type { OpenAPIV3_1 } from 'openapi-types'
import { z } from 'zod'
import type { Route } from './route.ts'

/** Description of a service and its sign-in methods. */
export interface ApiDescription {
  readonly title: string
  readonly version: string
  readonly description: string
  /** The body of every error answer. */
  readonly errorBody: z.ZodType
  /** Media type of error answers; `application/json` when left out. */
  readonly errorMedia?: string
  /** Status of a request whose path or query is not as its schema says; 400 when left out. */
  readonly invalidParameter?: 400 | 422
  /** Status of a request whose body is not as its schema says; 422 when left out. */
  readonly invalidBody?: 400 | 422
  /** Status of a body that cannot be parsed at all; 400 when left out. */
  readonly invalidSyntax?: 400 | 422
  readonly securitySchemes: Record<string, OpenAPIV3_1.SecuritySchemeObject>
  /** Schemes that open a route of this access; an empty list for one that needs none. */
  readonly security: (access: string) => Record<string, string[]>[]
  readonly tags: readonly { name: string; description: string }[]
  /** Tag of a whole group of paths, which their operations have before their own; undefined where there is none. */
  readonly groupOf?: (path: string) => string | undefined
  /** Further good answers of every route of an access, such as the redirect to the sign-in page. */
  readonly alsoOf?: (access: string) => readonly (206 | 303 | 304)[]
}

const errorTexts: Record<number, string> = {
  400: 'A parameter is not valid',
  401: 'No valid credentials',
  403: 'Not allowed for this caller',
  404: 'Not there',
  409: 'Conflicts with what is there',
  413: 'The body is too large',
  415: 'The body is of another type',
  416: 'Behind the end of the file',
  422: 'A member of the body is not valid',
  429: 'Too many requests',
  500: 'Failed on the server',
  502: 'What stands behind the service did not do its part',
  503: 'Not now',
  504: 'Waited too long',
}

/** The error statuses a route can answer: what its schemas, access and limit bring along, and what it adds itself. */
function errorStatuses(spec: Route['spec'], about: ApiDescription): number[] {
  const isOpen = about.security(spec.access).length === 0
  const statuses = new Set([429, 500, ...(spec.errors ?? [])])
  if (!isOpen) for (const status of [401, 403]) statuses.add(status)
  // A path parameter may exceed the maximum length.
  if (spec.params !== undefined) statuses.add(404)
  if (spec.params !== undefined || spec.query !== undefined) statuses.add(about.invalidParameter ?? 400)
  // A body is read even when the route has none: it may be incomplete, too large, of another type or unreadable.
  if (spec.method !== 'GET') for (const status of [400, 413, 415, about.invalidSyntax ?? 400]) statuses.add(status)
  if (spec.body !== undefined) statuses.add(about.invalidBody ?? 422)
  return [...statuses].sort((a, b) => a - b)
}

function contentSchema(media: string): z.ZodType {
  return media.startsWith('text/') ? z.string() : z.string().meta({ format: 'binary' })
}

const alsoTexts = {
  206: 'The part that was asked for',
  303: 'Elsewhere: see Location',
  304: 'As you have it already',
} as const

/** A partial answer has the type of the whole; a redirect has either of the two body types. */
function alsoAnswered(status: 206 | 303 | 304, whole: object, about: ApiDescription): object {
  const description = alsoTexts[status]
  if (status !== 303) return { ...whole, description }
  const content = {
    'text/html': { schema: z.string() },
    [about.errorMedia ?? 'application/json']: { schema: about.errorBody },
  }
  return { content, description }
}

function errorContent(status: number, spec: Route['spec'], about: ApiDescription): object {
  if (spec.errorPages?.includes(status) === true) return { 'text/html': { schema: z.string() } }
  return { [about.errorMedia ?? 'application/json']: { schema: about.errorBody } }
}

const mediaOfForm = (takes: NonNullable<Route['spec']['takes']>) =>
  takes === 'form' ? 'application/x-www-form-urlencoded' : 'multipart/form-data'

/**
 * Id of an operation: its method and its path without `api`, as in `getPeers` for GET /api/peers and `putPeersById` for
 * PUT /api/peers/{id}; `Page` follows for an answer in HTML. It changes only when the path does.
 */
function operationIdOf({ method, path, success }: Route['spec']): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'api')
  const words = parts.flatMap((part) => part.replaceAll(/\{(\w+)\}/g, ' by $1 ').split(/[^A-Za-z0-9]+/))
  const named = words.filter((word) => word !== '').map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  const ending = 'media' in success && success.media === 'text/html' ? 'Page' : ''
  return `${method.toLowerCase()}${named.length === 0 ? 'Root' : named.join('')}${ending}`
}

/** Security schemes; a write with a session cookie also carries the CSRF token, where the service describes one. */
function securityOf({ method, access }: Route['spec'], about: ApiDescription): Record<string, string[]>[] {
  const ways = about.security(access)
  if (!('csrf' in about.securitySchemes) || method === 'GET') return ways
  return ways.map((way): Record<string, string[]> => ('session' in way ? Object.assign({ csrf: [] }, way) : way))
}

/** Tags of an operation: that of its group of paths, where there is one, and its own. */
function tagsOf({ path, tag }: Route['spec'], about: ApiDescription): string[] {
  const group = about.groupOf?.(path)
  return group === undefined ? [tag] : [group, tag]
}

/** Parts of a request that a schema checks. */
const inputsOf = ({ params, query, body }: Route['spec']) => ({
  ...(params === undefined ? {} : { params }),
  ...(query === undefined ? {} : { querystring: query }),
  ...(body === undefined ? {} : { body }),
})

/** The good answer of a route. */
const successOf = ({ success }: Route['spec']) =>
  'body' in success
    ? { content: { 'application/json': { schema: success.body } }, description: success.description ?? 'Success' }
    : {
        content: { [success.media]: { schema: success.schema ?? contentSchema(success.media) } },
        description: success.description,
      }

/** Further good answers of a route. */
const alsoOf = ({ also, access }: Route['spec'], about: ApiDescription) => [
  ...(also ?? []),
  ...(about.alsoOf?.(access) ?? []),
]

/** The schema by which the server checks the requests of a route and writes its answers. */
export function routeSchemaOf(spec: Route['spec'], about: ApiDescription): FastifySchema {
  const success = successOf(spec)
  const error = {
    content: {
      [about.errorMedia ?? 'application/json']: { schema: about.errorBody },
      ...(spec.errorPages !== undefined && { 'text/html': { schema: z.string() } }),
    },
  }
  // Classes of statuses: an object with the key 500 takes an array of six hundred places, in each route several times.
  const redirect = alsoOf(spec, about).includes(303) ? { '3xx': alsoAnswered(303, success, about) } : {}
  return { ...inputsOf(spec), response: { '2xx': success, ...redirect, '4xx': error, '5xx': error } }
}

/** The schema that describes a route in the document. */
export function describedSchemaOf(spec: Route['spec'], about: ApiDescription): FastifySchema {
  const also = alsoOf(spec, about)
  const errors = errorStatuses(spec, about)
  const success = successOf(spec)
  return {
    ...(spec.hidden === true ? { hide: true } : {}),
    operationId: operationIdOf(spec),
    tags: tagsOf(spec, about),
    summary: spec.summary,
    ...(spec.description === undefined ? {} : { description: spec.description }),
    security: securityOf(spec, about),
    ...inputsOf(spec),
    ...(spec.takes === undefined ? {} : { consumes: [mediaOfForm(spec.takes)] }),
    'x-access': spec.access,
    'x-limit': spec.limit,
    response: {
      [spec.success.status]: success,
      ...Object.fromEntries(also.map((status) => [status, alsoAnswered(status, success, about)])),
      ...Object.fromEntries(
        errors.map((status) => [
          status,
          {
            description: errorTexts[status] ?? 'Error',
            content: errorContent(status, spec, about),
          },
        ]),
      ),
    },
  } as FastifySchema
}
