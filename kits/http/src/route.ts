import type { Readable } from 'node:stream'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { ServerEnd } from './client-address.ts'
import type { FieldIssue } from './http-error.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The answer of a route when all went well: an object described by a schema, or content of another kind. For a stream of
 * events, `schema` describes the data of one.
 */
export type Success =
  | { readonly status: 200 | 201 | 202; readonly body: z.ZodType; readonly description?: string }
  | { readonly status: 200; readonly media: string; readonly description: string; readonly schema?: z.ZodType }

/** Content that is no JSON. `fileName` makes the browser save it. */
export interface Content {
  readonly content: string | Uint8Array | Readable
  readonly fileName?: string
  /** Another status than the route's, such as 206 for a part, 303 for a redirect, or 404 with its own page. */
  readonly status?: number
}

/** A file that came with a form, whole. */
export interface UploadedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The body of a route that takes an upload: the fields of the form, and its one file as `file`. */
export type UploadBody = Readonly<Record<string, string | UploadedFile>>

/** Body of a route that takes one file, as the field `file` of a form. */
export const FileForm = z
  .object({
    file: z
      .custom<UploadedFile>((value) => typeof value === 'object' && value !== null && 'bytes' in value, 'is missing')
      .meta({ type: 'string', format: 'binary' }),
  })
  .meta({ id: 'FileForm' })

/** A body that does not fit its schema. */
export interface InvalidBody {
  /** Parameters of the path, checked. */
  readonly params: unknown
  /** As it was sent. */
  readonly body: unknown
  readonly fields: readonly FieldIssue[]
}

type Parsed<T> = T extends z.ZodType ? z.output<T> : undefined
type Result<S extends Success> = S extends { body: infer B extends z.ZodType } ? z.output<B> : Content

/** The parts of the answer that a handler may change besides its body. */
export interface AnswerTools {
  header(name: string, value: string): void
  setCookie(name: string, value: string, options: CookieSerializeOptions): void
  clearCookie(name: string, options: CookieSerializeOptions): void
  /** The application's page with a nonce of its own; `fragment` is HTML that goes to the end of its body. */
  page(fragment?: string): Content
}

/** Sends the browser on to another address with GET (303), for routes of pages. */
export function seeOther({ answer }: { readonly answer: Pick<AnswerTools, 'header'> }, location: string): Content {
  answer.header('location', location)
  answer.header('content-type', 'text/html; charset=utf-8')
  return { content: '', status: 303 }
}

/** Argument of a handler. Everything in it has been checked against the route's schemas. */
export interface Call<Caller, P, Q, B> {
  readonly caller: Caller
  readonly params: Parsed<P>
  readonly query: Parsed<Q>
  readonly body: Parsed<B>
  /** Origin of the request, forwarding headers of trusted proxies considered. */
  readonly client: {
    readonly address: string
    readonly userAgent: string
    /** Name or address the caller used for the server, without its port. */
    readonly host: string
    readonly secure: boolean
    /** As the caller addressed the server: `https://media.example.org:8443`; empty without a usable Host header. */
    readonly origin: string
    /** Where the caller connected to this server; undefined behind a proxy. */
    readonly connectedTo: ServerEnd | undefined
  }
  /** Only the head of the answer is wanted (HEAD): its content is not sent, and need not be opened. */
  readonly isHead: boolean
  /** A header of the request by its lower-case name, such as `range`; the first of several. */
  readonly header: (name: string) => string | undefined
  /** A cookie of the request by its name; the first of several. */
  readonly cookie: (name: string) => string | undefined
  readonly answer: AnswerTools
}

type Schema = z.ZodType | undefined

/**
 * An endpoint without its handler. `access` says who may call it and `limit` which budget it draws on; neither has a default,
 * so no route is open, or unlimited, by accident.
 */
export interface RouteSpec<Access, Limit, P extends Schema, Q extends Schema, B extends Schema, S extends Success> {
  readonly method: Method
  /** As in OpenAPI: `/api/peers/{id}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly access: Access
  readonly limit: Limit
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Further issues of a body that does not match its schema, from the service's own rules. */
  readonly findMoreIssues?: (request: InvalidBody) => Promise<readonly FieldIssue[]>
  /** The body is a form instead of JSON: its fields alone, or fields and one file (see `UploadBody`). */
  readonly takes?: 'form' | { readonly upload: { readonly maxBytes: number } }
  /** Largest body, bytes, where it is not that of the service. */
  readonly maxBodyBytes?: number
  readonly success: S
  /** Further good answers: a part of the content, a redirect, or not modified. */
  readonly also?: readonly (206 | 303 | 304)[]
  /** Error statuses beyond those that follow from access, limit and schemas. */
  readonly errors?: readonly number[]
  /** Those of them that are answered with a page for a person; see `Content.status`. */
  readonly errorPages?: readonly number[]
  /** Compresses the answer as the request accepts it. Only for text that is the same for every caller and changes seldom. */
  readonly compressed?: true
  /** Left out of the document, such as the files of a page. */
  readonly hidden?: true
}

/** Returns the path of an endpoint as the router writes it: `/api/peers/:id`. */
export const routerPath = ({ path }: Pick<Route['spec'], 'path'>): string =>
  path.replaceAll(':', '::').replaceAll(/\{(\w+)\}/g, ':$1')

/** An endpoint as a value: what the server registers, the document describes and a test enumerates. */
export interface Route {
  readonly spec: RouteSpec<string, string, Schema, Schema, Schema, Success>
  handle(
    caller: unknown,
    request: FastifyRequest,
    tools: {
      reply: FastifyReply
      client: Call<unknown, undefined, undefined, undefined>['client']
      page: (fragment?: string) => Content
    },
  ): Promise<unknown>
}

/**
 * Makes a service's `route` function, bound to who its callers are. `Callers` maps each access to what a handler of that
 * access is given as `caller`, so that a handler cannot use what its access does not guarantee.
 *
 * @example
 * export const route = routeFor<{ public: Anonymous; admin: Admin }, 'read' | 'write'>()
 * route(
 *   { method: 'GET', path: '/api/users', tag: 'Users', summary: 'List users', access: 'admin', limit: 'read',
 *     query: UserListQuery, success: { status: 200, body: pageEnvelope(User) } },
 *   async ({ caller, query }) => users.list(query),
 * )
 */
export function routeFor<Callers extends object, Limit extends string>() {
  return function route<
    A extends keyof Callers & string,
    S extends Success,
    P extends Schema = undefined,
    Q extends Schema = undefined,
    B extends Schema = undefined,
  >(
    spec: RouteSpec<A, Limit, P, Q, B, S>,
    handler: (call: Call<Callers[A], P, Q, B>) => Promise<Result<S>> | Result<S>,
  ): Route {
    return {
      spec,
      async handle(caller, request, { reply, client, page }) {
        return handler({
          caller: caller as Callers[A],
          params: request.params as Parsed<P>,
          query: request.query as Parsed<Q>,
          body: request.body as Parsed<B>,
          client,
          isHead: request.method === 'HEAD',
          header: (name) => {
            const value = request.headers[name]
            return Array.isArray(value) ? value[0] : value
          },
          cookie: (name) => request.cookies[name],
          answer: {
            header: (name, value) => void reply.header(name, value),
            setCookie: (name, value, options) => void reply.setCookie(name, value, options),
            clearCookie: (name, options) => void reply.clearCookie(name, options),
            page,
          },
        })
      },
    }
  }
}
