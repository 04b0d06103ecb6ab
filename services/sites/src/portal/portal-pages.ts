import type { IncomingMessage, ServerResponse } from 'node:http'
import { createThrottle, slidingWindow, type SignInMethod } from '@hearth/accounts'
import { LoginFinish } from '@hearth/accounts/passkey-schema'
import { addressGroup } from '@hearth/http'
import type { Clock, Log } from '@hearth/runtime'
import type { Accounts } from '../accounts/accounts.ts'
import type { UserRow } from '../accounts/tables.ts'
import { badRequest, Problem, toError } from '../problems.ts'
import type { AddressLimit } from './address-limit.ts'
import { finishNewPasskey, makeRecoveryCodes, removePasskey, showAccount, startNewPasskey } from './account-pages.ts'
import type { ApplicationSignIn } from './applications.ts'
import { readDestination, type Destination, type DestinationTexts } from './destination.ts'
import { leadTo, redirect, sendJson } from './page-answers.ts'
import { html, sendPage } from './page-html.ts'
import type { PortalPasskeys } from './portal-passkeys.ts'
import { fieldOf, portalCookie, readPageBody, readPageRequest, type PageRequest } from './portal-page-request.ts'
import type { PortalSessions } from './portal-sessions.ts'
import { maxPortalSession, type PortalState } from './portal-state.ts'
import { hostCookie } from './request-cookies.ts'
import { signInPage } from './sign-in-page.ts'
import type { HandOverCodes } from './site-keys.ts'
import { isRecoveryCode, proveVisitor } from './visitor-sign-in.ts'

/** Dependencies of the pages of the portal. */
export interface PortalPagesDependencies {
  readonly clock: Clock
  readonly log: Log
  readonly state: PortalState
  readonly sessions: PortalSessions
  readonly passkeys: PortalPasskeys
  readonly codes: HandOverCodes
  readonly limit: AddressLimit
  readonly accounts: Pick<Accounts, 'passwords' | 'recoveryCodes' | 'securityLog' | 'sessions' | 'visitors'>
  readonly applications: ApplicationSignIn
}

type Handler = (dependencies: PortalPagesDependencies, page: PageRequest) => Promise<void> | void

const handlers: Readonly<Record<string, Handler>> = {
  'GET /': showAccount,
  'GET /sign-in': showSignIn,
  'POST /sign-in': signIn,
  'POST /passkey/start': startPasskey,
  'POST /passkey/finish': finishPasskey,
  'POST /sign-out': signOut,
  'POST /passkeys/start': startNewPasskey,
  'POST /passkeys/finish': finishNewPasskey,
  'POST /passkeys/remove': removePasskey,
  'POST /recovery-codes': makeRecoveryCodes,
}

/** Creates the handler of the pages on which visitors sign in. */
export function createPortalPages(dependencies: PortalPagesDependencies) {
  const { clock, accounts, applications } = dependencies
  // Failures are counted where somebody proves who they are; this is for requests of all kinds.
  const writes = createThrottle(slidingWindow(60, 60), clock)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const snapshot = dependencies.state.current()
      if (snapshot === undefined) throw new Problem(503, 'Nobody can sign in at the moment')
      const page = readPageRequest({ request, response }, snapshot, { ...dependencies, visitors: accounts.visitors })
      if (page !== undefined && applications.answers(page.url.pathname)) return await applications.answer(page)
      const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
      const name = `${method} ${page?.url.pathname ?? ''}`
      const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined
      if (page === undefined || handler === undefined) throw new Problem(404, 'There is no such page')
      if (method === 'POST') writes.attempt(addressGroup(page.from.address))
      await handler(dependencies, page)
    } catch (error) {
      answerError(dependencies, { request, response }, error)
    }
  }
}

function answerError(
  { log }: PortalPagesDependencies,
  { request, response }: Pick<PageRequest, 'request' | 'response'>,
  error: unknown,
): void {
  const answer = toError(error)
  if (answer.isExpected !== true) log.error({ err: error }, 'a page of the portal failed')
  if (response.headersSent) return void response.destroy()
  const { detail } = answer.body as { detail: string }
  if ((request.headers['content-type'] ?? '').startsWith('application/json'))
    return sendJson({ response, cookies: [] }, answer.status, { detail })
  sendProblem(response, new Problem(answer.status, detail, { headers: { ...answer.headers } }))
}

function sendProblem(response: ServerResponse, { status, message, headers }: Problem): void {
  const body = html`<p>${message}</p>
    <p><a href="/">To the sign-in page</a></p>`
  sendPage(response, { status, title: 'That did not work', body, headers })
}

const textsOf = (read: (name: string) => string): DestinationTexts => ({
  site: read('site'),
  to: read('to'),
  state: read('state'),
  application: read('application'),
})

/** Undefined for the account itself. Throws a problem for a destination that is no application and none of the protected sites. */
async function destinationOf(
  { applications }: PortalPagesDependencies,
  texts: DestinationTexts,
  { snapshot, authority }: PageRequest,
): Promise<Destination | undefined> {
  if (texts.application !== '') {
    const found = await applications.findSignIn(texts.application, authority)
    if (found === undefined) throw badRequest('This sign-in is over. Go back to the application and begin again.')
    return { kind: 'application', ...found }
  }
  if (texts.site === '' && texts.to === '') return undefined
  const destination = readDestination(texts, snapshot, authority)
  if (destination === undefined) throw badRequest('This link leads to no protected site')
  return destination
}

/** The address at which a site takes the sign-in over, or at which that to an application goes on. */
function handOver({ codes }: PortalPagesDependencies, sessionId: string, destination: Destination): string {
  if (destination.kind === 'application') return destination.path
  const { site, authority, target, state } = destination
  const code = codes.create({ sessionId, siteId: site.id, authority, target, state })
  return `https://${authority}/.hearth/callback?code=${code}`
}

async function showSignIn(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const texts = textsOf((name) => page.url.searchParams.get(name) ?? '')
  const destination = await destinationOf(dependencies, texts, page)
  const isAgain = page.url.searchParams.has('again')
  if (page.session !== undefined && !isAgain)
    return redirect(page, destination === undefined ? '/' : handOver(dependencies, page.session.id, destination))
  const headers = { 'Set-Cookie': page.cookies }
  sendPage(page.response, signInPage({ csrfToken: page.csrfToken, destination, texts, headers }))
}

async function signIn(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const { limit, accounts } = dependencies
  const body = await readPageBody(page)
  const texts = textsOf((name) => fieldOf(body, name))
  const destination = await destinationOf(dependencies, texts, page)
  const view = {
    csrfToken: page.csrfToken,
    destination,
    texts,
    username: fieldOf(body, 'username').slice(0, 255),
    isPasswordOver: fieldOf(body, 'new_password') !== '',
    headers: { 'Set-Cookie': page.cookies },
  }
  try {
    const proof = await proveVisitor({ limit, passwords: accounts.passwords }, body, page.from)
    if (proof === 'password change') {
      const problem = 'Your password must be changed. Type it once more, and a new one.'
      return sendPage(page.response, signInPage({ ...view, isPasswordOver: true, problem }))
    }
    const location = await open(dependencies, page, { ...proof, destination })
    if (destination === undefined) redirect(page, location)
    else leadTo(page, location, destination.name)
  } catch (error) {
    const { status, body: answered, isExpected, headers } = toError(error)
    if (isExpected !== true) throw error
    const { detail } = answered as { detail: string }
    // Said about right codes and wrong ones alike.
    const hint = status === 401 && isRecoveryCode(body) ? ' Codes do not count while the password must be changed.' : ''
    const more = { ...view.headers, ...headers }
    sendPage(page.response, signInPage({ ...view, status, problem: `${detail}${hint}`, headers: more }))
  }
}

/**
 * Opens a session in place of the browser's, and returns where the visitor goes. A visitor who proves once more who they are keeps
 * the session, so that no application is told that it ended.
 */
async function open(
  dependencies: PortalPagesDependencies,
  page: PageRequest,
  to: { readonly user: UserRow; readonly method: SignInMethod; readonly destination: Destination | undefined },
): Promise<string> {
  const { sessions } = dependencies
  if (to.user.password_change_required === 1) throw badRequest('Sign in with your password, which must be changed')
  const before = page.session
  const isSame = before?.user.id === to.user.id
  const { id, key } = await sessions.open(to.user, to.method, { ...page.from, renewed: isSame ? before.id : undefined })
  if (before !== undefined && !isSame) await sessions.end(before.id)
  page.cookies.push(hostCookie(portalCookie, key, maxPortalSession))
  return to.destination === undefined ? '/' : handOver(dependencies, id, to.destination)
}

async function startPasskey({ passkeys }: PortalPagesDependencies, page: PageRequest): Promise<void> {
  await readPageBody(page)
  const options = await passkeys.at(page.authority).startSignIn(page.browserKey)
  sendJson(page, 200, { options })
}

async function finishPasskey(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const { passkeys, accounts, limit } = dependencies
  const body = await readPageBody(page)
  const texts = textsOf((name) => fieldOf(body, name))
  const destination = await destinationOf(dependencies, texts, page)
  const reading = LoginFinish.shape.credential.safeParse(body['credential'])
  if (!reading.success) throw badRequest('The passkey could not be read')
  const { from } = page
  const prove = () => passkeys.at(page.authority).finishSignIn(reading.data, page.browserKey)
  const user = await limit(from, () => accounts.securityLog.watch(prove(), { from }))
  const location = await open(dependencies, page, { user, method: 'passkey', destination })
  sendJson(page, 200, { location })
}

async function signOut({ sessions, accounts }: PortalPagesDependencies, page: PageRequest): Promise<void> {
  await readPageBody(page)
  const { session } = page
  if (session !== undefined) {
    const by = { userId: session.user.id, username: session.user.username }
    const event = { kind: 'sign_out', by, from: page.from, detail: 'at the portal' } as const
    await accounts.securityLog.recordAfter(sessions.end(session.id), event)
  }
  page.cookies.push(hostCookie(portalCookie, '', 0))
  redirect(page, '/sign-in')
}
