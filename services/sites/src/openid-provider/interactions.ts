import { hashToken } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import { redirect } from '../portal/page-answers.ts'
import { html, sendPage, type Html } from '../portal/page-html.ts'
import { fieldOf, readPageBody, type PageRequest } from '../portal/portal-page-request.ts'
import { cookiesOf } from '../portal/request-cookies.ts'
import { badRequest } from '../problems.ts'
import { findArtifactRow } from './artifact-store.ts'
import type { Client, Clients } from './clients/clients.ts'
import { accessPrompt, signInPrompts } from './interaction-policy.ts'
import type { LibraryInteraction, LibraryProvider } from './oidc-library.ts'
import { interactionPath, providerCookies, providerPaths, resumePath } from './provider-configuration.ts'
import { errorPage, onwardPage } from './provider-pages.ts'
import * as store from './store.ts'
import type { OpenIdProviderTables } from './tables.ts'

/** Dependencies of the pages of sign-ins under way. */
export interface InteractionDependencies {
  readonly database: Database<OpenIdProviderTables>
  readonly clock: Clock
  readonly clients: Clients
}

/** Answers at the page of a sign-in under way: signs in, asks for consent, or says that the user may not use the application. */
export async function answerInteraction(
  dependencies: InteractionDependencies,
  provider: LibraryProvider,
  page: PageRequest,
): Promise<void> {
  const [, uid = ''] = /^\/oidc\/interaction\/([\w-]{1,100})$/.exec(page.url.pathname) ?? []
  const { request } = page
  const key = { model: 'Interaction', id_hash: hashToken(uid) }
  const row = await findArtifactRow(dependencies.database.query, key, dependencies.clock.now())
  const isOwn = row?.browser_hash === hashToken(page.browserKey) && hasCookie(page, uid)
  const interaction = isOwn ? await provider.Interaction.find(uid) : undefined
  const client = await dependencies.clients.find(String(interaction?.params['client_id']))
  if (row === undefined || interaction === undefined || client === undefined)
    return sendPage(page.response, errorPage(400, over))
  // The library counts whole seconds, in which somebody may have signed in before.
  const isNew = page.session !== undefined && page.session.provedAt >= row.created_at
  if (request.method === 'POST') return decide(dependencies, provider, { page, interaction, client, isNew })
  if (request.method !== 'GET' && request.method !== 'HEAD') throw badRequest('The method must be GET or POST')
  if (isNew) return beginAnew(page, interaction)
  if (page.session === undefined || signInPrompts.has(interaction.prompt.name)) return leadToSignIn(page, interaction)
  const show = interaction.prompt.name === accessPrompt ? showRefusal : showConsent
  show(page, { interaction, client, username: page.session.user.username })
}

const over = 'This sign-in is over, or it began in another browser.'

interface InteractionView {
  readonly interaction: LibraryInteraction
  readonly client: Client
  readonly username: string
}

/** Only the browser in which a sign-in began goes on with it. */
const hasCookie = ({ request }: PageRequest, uid: string): boolean =>
  uid !== '' && cookiesOf(request, providerCookies.interaction).includes(uid)

function leadToSignIn(page: PageRequest, { uid }: LibraryInteraction): void {
  const query = new URLSearchParams({ application: uid, ...(page.session !== undefined && { again: '1' }) })
  redirect(page, `/sign-in?${query.toString()}`)
}

/** Begins the request of the application anew, as whoever has just signed in. */
async function beginAnew(page: PageRequest, interaction: LibraryInteraction): Promise<void> {
  await interaction.destroy()
  const { prompt, ...params } = interaction.params
  const left = typeof prompt === 'string' ? prompt.split(' ').filter((name) => !signInPrompts.has(name)) : []
  const entries = Object.entries({ ...params, ...(left.length > 0 && { prompt: left.join(' ') }) })
  const query = new URLSearchParams(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
  const own = { [providerCookies.interaction]: interactionPath, [providerCookies.resume]: resumePath }
  for (const [name, pathOf] of Object.entries(own))
    page.cookies.push(`${name}=; Max-Age=0; Path=${pathOf(interaction.uid)}; Secure; HttpOnly; SameSite=Lax`)
  redirect(page, `${providerPaths.authorization}?${query.toString()}`)
}

function showRefusal(page: PageRequest, { interaction, client, username }: InteractionView): void {
  sendPage(page.response, {
    status: 403,
    title: 'No access',
    body: html`<p>You are signed in as <strong>${username}</strong>, who may not use ${client.name}.</p>
      <p><a href="/sign-in?application=${interaction.uid}&again=1">Sign in as somebody else</a></p>
      <form method="post" action="${interactionPath(interaction.uid)}">
        ${hidden(page, 'cancel')}<button class="other">Back to ${client.name}</button>
      </form>`,
    headers: { 'Set-Cookie': page.cookies },
  })
}

const scopeTexts: Readonly<Record<string, string>> = {
  profile: 'your user name',
  email: 'your e-mail address',
  groups: 'your groups',
}

function showConsent(page: PageRequest, { interaction, client, username }: InteractionView): void {
  const asked = scopesOf(interaction).flatMap((scope) => scopeTexts[scope] ?? [])
  const items = ['who you are', ...asked].map((text) => html`<li>${text}</li>`)
  sendPage(page.response, {
    status: 200,
    title: `Sign in to ${client.name}?`,
    body: html`<p>You are signed in as <strong>${username}</strong>. ${client.name} gets to know:</p>
      <ul>
        ${items}
      </ul>
      <form method="post" action="${interactionPath(interaction.uid)}">
        ${hidden(page, 'allow')}<button>Continue</button>
      </form>
      <form method="post" action="${interactionPath(interaction.uid)}">
        ${hidden(page, 'cancel')}<button class="other">Cancel</button>
      </form>`,
    headers: { 'Set-Cookie': page.cookies },
  })
}

const hidden = ({ csrfToken }: PageRequest, decision: string): Html =>
  html`<input type="hidden" name="csrf" value="${csrfToken}" /><input
      type="hidden"
      name="decision"
      value="${decision}"
    />`

const scopesOf = ({ params }: LibraryInteraction): string[] => {
  const { scope } = params
  return typeof scope === 'string' ? scope.split(' ') : []
}

interface Answered {
  readonly page: PageRequest
  readonly interaction: LibraryInteraction
  readonly client: Client
  /** True when somebody signed in since the question was asked. */
  readonly isNew: boolean
}

async function decide(
  { database, clock }: InteractionDependencies,
  provider: LibraryProvider,
  { page, interaction, client, isNew }: Answered,
): Promise<void> {
  const body = await readPageBody(page)
  const isAllowed = fieldOf(body, 'decision') === 'allow' && interaction.prompt.name === 'consent'
  const { session } = page
  if (session === undefined) return redirect(page, interactionPath(interaction.uid))
  const denied = { error: 'access_denied', error_description: 'the user may not, or declined' }
  const isOwn = interaction.session === undefined || interaction.session.uid === session.id
  const location = isOwn
    ? await storeResult(provider, { page, interaction }, isAllowed ? { consent: {} } : denied)
    : undefined
  if (location === undefined) {
    const again = onwardPage(client.name, { location: interactionPath(interaction.uid), label: client.name })
    return sendPage(page.response, isNew ? again : errorPage(400, over))
  }
  if (isAllowed) {
    const scopes = scopesOf(interaction).join(' ')
    const consent = { user_id: session.user.id, client_id: client.id, scopes, given_at: clock.now() }
    await store.storeConsentRow(database.query, consent)
  }
  sendPage(page.response, onwardPage(client.name, { location, label: client.name }))
}

/** Returns where the sign-in goes on; undefined when the session of the question is over. */
async function storeResult(
  provider: LibraryProvider,
  { page: { request, response }, interaction }: Pick<Answered, 'page' | 'interaction'>,
  result: object,
): Promise<string | undefined> {
  // The library takes the first cookie of this name, which may be about another sign-in.
  request.headers.cookie = `${providerCookies.interaction}=${interaction.uid}`
  try {
    return await provider.interactionResult(request, response, result)
  } catch (error) {
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 400) return undefined
    throw error
  }
}
