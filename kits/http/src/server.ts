import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import fastifyCookie from '@fastify/cookie'
import type { Log } from '@hearth/runtime'
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { ForwardingTrust } from './client-address.ts'
import { clientOf } from './client.ts'
import { compressingHook } from './content-encoding.ts'
import { refuseUnreadable, sendError, type ErrorAnswer } from './error-answers.ts'
import { addOwnIssues } from './to-http-error.ts'
import { HttpError } from './http-error.ts'
import { routeSchemaOf, type ApiDescription } from './openapi.ts'
import { acceptForms } from './forms.ts'
import { leaveOutContent, methodsOf } from './head-answers.ts'
import { hostError } from './host-header.ts'
import { createMethodCheck, maxParamLength } from './method-check.ts'
import { type PageExists, readPageAddresses } from './page-addresses.ts'
import { readPage, servePageFiles, type RenderPage } from './pages.ts'
import { routerPath, type Call, type Content, type Method, type Route } from './route.ts'
import { addShortcut, requestIdOf, type Shortcut } from './shortcut.ts'
import { addSecurityHeaders } from './security-headers.ts'

/** A request as the guard sees it, before anything of it is parsed. */
export interface GuardedRequest {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly client: Call<unknown, undefined, undefined, undefined>['client']
}

/** Everything a service brings to its server. */
export interface ServerOptions {
  readonly routes: readonly Route[]
  readonly about: ApiDescription
  /**
   * Runs before a request is parsed: finds the caller, counts the request, checks the access, and returns the caller for the
   * handler; throws to refuse. `spec` is undefined for a path of the API that does not exist, which counts as well.
   */
  readonly guard: (guarded: GuardedRequest, spec: Route['spec'] | undefined) => Promise<unknown>
  /**
   * Runs when the body was read, before it is checked against its schema; throws to refuse. For fields of the form itself, such
   * as a CSRF token.
   */
  readonly checkBody?: (guarded: GuardedRequest, spec: Route['spec'], body: unknown) => void
  readonly toError: (error: unknown, request: FastifyRequest) => ErrorAnswer
  /** Called after every answer, for counting; `spec` is undefined for pages, files and addresses without a route. */
  readonly onAnswered?: (spec: Route['spec'] | undefined, status: number, milliseconds: number) => void
  readonly trust: ForwardingTrust
  readonly log: Log
  /** Folder of the built web pages. */
  readonly pages: string
  /** Beginnings of paths that are never pages; `/api` when left out. */
  readonly apiPaths?: readonly string[]
  /** Answers some requests before the routes; see `Shortcut`. */
  readonly shortcut?: Shortcut
  /** Largest body of a request, bytes; 1 MiB when left out. */
  readonly bodyLimit?: number
  /**
   * Gives a request another address before its route is looked for: for those that no route takes, such as too long or badly
   * encoded ones, and that must not be answered otherwise than the rest.
   */
  readonly rewriteUrl?: (url: string) => string
}

/** Time that requests may go on after the server began to close, milliseconds. */
const closingLimit = 5000

/** Largest body of a request unless a service says otherwise, bytes. */
const bodyLimit = 1_048_576

/** Builds what `createServer` returns. */
export async function buildServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = createFastify(options)
  app.setValidatorCompiler(createValidator)
  app.setSerializerCompiler(serializerCompiler)
  acceptOnlyJson(app)
  app.addHook('preClose', (done) => {
    // A connection with a pending answer would otherwise stay open for as long as its client keeps it.
    app.server.keepAliveTimeout = 1
    // A connection that never completes its request must not delay the shutdown.
    setTimeout(() => app.server.closeAllConnections(), closingLimit).unref()
    done()
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  if (options.onAnswered !== undefined) reportAnswers(app, options.onAnswered)
  addSecurityHeaders(app)
  refuseWrongHost(app)
  await app.register(fastifyCookie)
  refuseOtherMethods(app, options)
  app.setErrorHandler((error, _request, reply) => sendError(options, reply, error))
  const page = readPage(options.pages)
  const isPage = readPageAddresses(options.pages)
  await app.register(async (scope) => addRoutes(scope, options, page))
  servePageFiles(app, options.pages)
  app.setNotFoundHandler((request, reply) =>
    answerUnknown(options, { page, isPage }, { request, reply, client: clientOf(request, options.trust) }),
  )
  await app.ready()
  if (options.shortcut !== undefined) addShortcut(app.server, options.shortcut)
  return app
}

declare module 'fastify' {
  /** Facts about a route that hooks of the whole server read. */
  interface FastifyContextConfig {
    readonly spec?: Route['spec']
  }
}

function reportAnswers(app: FastifyInstance, onAnswered: NonNullable<ServerOptions['onAnswered']>): void {
  app.addHook('onResponse', (request, reply, done) => {
    onAnswered(request.routeOptions.config.spec, reply.statusCode, reply.elapsedTime)
    done()
  })
}

/** Checks a part of a request by its schema. The framework hands a missing body on as null; a schema knows it as undefined. */
const createValidator: typeof validatorCompiler = (part) => {
  const validate = validatorCompiler(part)
  return part.httpPart === 'body' ? (body: unknown) => validate(body ?? undefined) : validate
}

/** Runs before routes and guards, so that no two parts use different Host headers of one request. */
function refuseWrongHost(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const detail = hostError(request.raw)
    done(detail === undefined ? undefined : new HttpError({ kind: 'malformed', detail }))
  })
}

function rewriting(rewriteUrl: ServerOptions['rewriteUrl']) {
  return rewriteUrl === undefined ? {} : { rewriteUrl: ({ url }: IncomingMessage) => rewriteUrl(url ?? '/') }
}

/** Stands where the framework would make compilers of its own; never called, because the server sets those of zod. */
function noJsonSchema(): never {
  throw new Error('routes have schemas of zod')
}

function createFastify(options: ServerOptions): FastifyInstance {
  return Fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    // A logger for each request would cost more than most answers, and nothing is logged by it.
    childLoggerFactory: (logger) => logger,
    bodyLimit: options.bodyLimit ?? bodyLimit,
    genReqId: requestIdOf,
    trustProxy: (address: string) => options.trust.proxies.has(address),
    routerOptions: { maxParamLength },
    // A route of GET takes HEAD as well. The framework would add a second route for it, a third of the work of a start.
    exposeHeadRoutes: false,
    // Without these the framework loads two libraries for JSON schemas, which no route has.
    schemaController: { compilersFactory: { buildValidator: noJsonSchema, buildSerializer: noJsonSchema } },
    ...rewriting(options.rewriteUrl),
    requestTimeout: 30_000,
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => refuseUnreadable(options, error, socket),
    frameworkErrors: (error, _request, reply) => void sendError(options, reply as never, error),
  }) as unknown as FastifyInstance
}

/** JSON is the only body there is; an empty one is the same as none. */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined)
    else void parse(request, body as string, done)
  })
}

async function addRoutes(app: FastifyInstance, options: ServerOptions, page: RenderPage): Promise<void> {
  for (const route of options.routes) {
    const url = routerPath(route.spec)
    const { takes } = route.spec
    // Parsers are registered in the scope of the route, so that other routes accept only JSON.
    if (takes === undefined) addRoute(app, options, { route, url, page })
    else
      await app.register(async (scope) => {
        await acceptForms(scope, takes)
        addRoute(scope, options, { route, url, page })
      })
  }
}

interface Placed {
  readonly route: Route
  readonly url: string
  readonly page: RenderPage
}

function addRoute(app: FastifyInstance, options: ServerOptions, { route, url, page }: Placed): void {
  const callers = new WeakMap<FastifyRequest, { caller: unknown; client: GuardedRequest['client'] }>()
  app.route({
    method: methodsOf(route.spec.method),
    url,
    config: { spec: route.spec },
    schema: routeSchemaOf(route.spec, options.about),
    ...(route.spec.maxBodyBytes === undefined ? {} : { bodyLimit: route.spec.maxBodyBytes }),
    onSend: onSendOf(route.spec),
    // Added only to routes with rules of their own; others use the server's handler.
    ...(route.spec.findMoreIssues !== undefined && {
      errorHandler: async (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
        sendError(options, reply, await addOwnIssues(route.spec, error, request)),
    }),
    onRequest: async (request, reply) => {
      const client = clientOf(request, options.trust)
      callers.set(request, { client, caller: await options.guard({ request, reply, client }, route.spec) })
    },
    preValidation: (request, reply, done) => {
      // The router takes an empty part for a parameter; it names nothing.
      if (Object.values(request.params as object).includes('')) throw new HttpError({ kind: 'not-found' })
      const known = callers.get(request)
      if (known !== undefined) options.checkBody?.({ request, reply, client: known.client }, route.spec, request.body)
      done()
    },
    handler: async (request, reply) => {
      const known = callers.get(request)
      if (known === undefined) throw new Error('a handler ran without its guard')
      const tools = { reply, client: known.client, page: (fragment?: string) => pageContent(reply, page, fragment) }
      const answer = await route.handle(known.caller, request, tools)
      const { success } = route.spec
      if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
      reply.code(success.status)
      return 'media' in success ? sendContent(reply, success.media, answer as Content) : answer
    },
  })
}

/** Hooks of a route that change what is sent. */
function onSendOf({ method, compressed }: Route['spec']) {
  return [...(compressed === true ? [compressingHook()] : []), ...(method === 'GET' ? [leaveOutContent] : [])]
}

function pageContent(reply: FastifyReply, page: RenderPage, fragment: string | undefined): Content {
  reply.type('text/html; charset=utf-8')
  return { content: page(reply, fragment) }
}

function sendContent(reply: FastifyReply, media: string, answer: Content): FastifyReply {
  if (answer.status !== undefined) reply.code(answer.status)
  if (!reply.hasHeader('content-type')) reply.type(media.startsWith('text/') ? `${media}; charset=utf-8` : media)
  if (answer.fileName !== undefined) {
    const plain = answer.fileName.replaceAll(/[^\w.-]/g, '_')
    reply.header(
      'content-disposition',
      `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(answer.fileName)}`,
    )
  }
  if (reply.request.method !== 'HEAD' || !(answer.content instanceof Readable)) return reply.send(answer.content)
  // The content is not read, so an open stream would never close.
  answer.content.destroy()
  return reply.send(Readable.from([]))
}

/** A known path with another method answers 405 and says which there are, to callers who may know. */
function refuseOtherMethods(app: FastifyInstance, options: ServerOptions): void {
  // Created for the first request that may be refused: it takes as long as a tenth of all routes.
  let check: ReturnType<typeof createMethodCheck> | undefined
  const allowedInstead = (method: string, url: string) => {
    check ??= createMethodCheck(options.routes.map(({ spec }) => spec))
    return check(method, url)
  }
  const refuse = async (request: FastifyRequest, reply: FastifyReply, allowed: Method[]) => {
    await options.guard({ request, reply, client: clientOf(request, options.trust) }, undefined)
    throw new HttpError({ kind: 'method-not-allowed', allowed })
  }
  // Every request comes through here, so none waits for a promise that only the refused ones need.
  app.addHook('onRequest', (request, reply, done) => {
    // A path without parameters is one that no other path names better, and the route takes the method.
    const isCertain = !request.is404 && !/[:*]/.test(request.routeOptions.url ?? ':')
    const allowed = isCertain ? undefined : allowedInstead(request.method, request.url)
    if (allowed === undefined) done()
    else void refuse(request, reply, allowed).catch(done)
  })
}

/** Answers a request that no route takes: with a page of the application, with the page for an unknown address, or an error. */
async function answerUnknown(
  options: ServerOptions,
  { page, isPage }: { page: RenderPage; isPage: PageExists },
  guarded: GuardedRequest,
): Promise<FastifyReply> {
  const { request, reply } = guarded
  const isApi = (options.apiPaths ?? ['/api']).some((path) => new RegExp(`^/*${path}(?:[/?]|$)`, 'i').test(request.url))
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  const path = request.url.replace(/[?#].*$/s, '')
  if (isReading && !isApi && !looksLikeFile(path)) {
    reply.code(isPage(path) ? 200 : 404).header('cache-control', 'no-store')
    return reply.type('text/html; charset=utf-8').send(page(reply))
  }
  try {
    if (isApi) await options.guard(guarded, undefined)
    throw new HttpError({ kind: 'not-found' })
  } catch (error) {
    return sendError(options, reply, error)
  }
}

/** A name with an ending, or any part that begins with a dot: never a page of the application. */
function looksLikeFile(path: string): boolean {
  return /\.\w+$/.test(path) || /\/(?:\.|%2e)/i.test(path)
}
