import { RegisterFinish } from '@hearth/accounts/passkey-schema'
import { isRecent } from '../access.ts'
import { badRequest, Problem } from '../problems.ts'
import { accountPage } from './account-page.ts'
import { redirect, sendJson } from './page-answers.ts'
import { sendPage } from './page-html.ts'
import { fieldOf, readPageBody, type PageRequest } from './portal-page-request.ts'
import type { PortalPagesDependencies } from './portal-pages.ts'
import type { PortalSession } from './portal-state.ts'

/** Shows the page of the visitor's account. */
export async function showAccount(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  if (page.session === undefined) return redirect(page, '/sign-in')
  await sendAccount(dependencies, page, page.session)
}

async function sendAccount(
  { passkeys, accounts }: PortalPagesDependencies,
  page: PageRequest,
  { user, codes }: Pick<PortalSession, 'user'> & { readonly codes?: readonly string[] },
): Promise<void> {
  sendPage(
    page.response,
    accountPage({
      csrfToken: page.csrfToken,
      username: user.username,
      passkeys: await passkeys.list(user.id, page.authority),
      codesLeft: await accounts.recoveryCodes.count(user.id),
      ...(codes && { codes }),
      headers: { 'Set-Cookie': page.cookies },
    }),
  )
}

/** Throws a problem unless the visitor signed in within five minutes. */
function recentSession({ clock }: PortalPagesDependencies, { session }: PageRequest) {
  if (session === undefined) throw new Problem(401, 'Sign in first')
  if (!isRecent(session, clock.now()))
    throw new Problem(403, 'Sign out and in again first: this needs a sign-in that is no older than five minutes')
  return { ...session, by: { userId: session.user.id, username: session.user.username } }
}

/** Begins to register a passkey. */
export async function startNewPasskey(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  await readPageBody(page)
  const { user, key } = recentSession(dependencies, page)
  const found = await dependencies.passkeys.findUser(user.id)
  const options = await dependencies.passkeys.at(page.authority).startRegistration(found, key)
  sendJson(page, 200, { options })
}

/** Registers a passkey. */
export async function finishNewPasskey(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const body = await readPageBody(page)
  const { user, key, by } = recentSession(dependencies, page)
  const name = fieldOf(body, 'device_name').trim() || 'Passkey'
  const reading = RegisterFinish.safeParse({ credential: body['credential'], device_name: name })
  if (!reading.success) throw badRequest('The passkey could not be read')
  const owner = { userId: user.id, key }
  const adding = dependencies.passkeys.at(page.authority).finishRegistration(owner, reading.data.credential, name)
  const event = { kind: 'passkey_added', by, from: page.from, target: name } as const
  await dependencies.accounts.securityLog.recordAfter(adding, event)
  sendJson(page, 200, { location: '/' })
}

/** Removes a passkey; the last way to sign in stays. Ends the user's other sessions: one may be on the device that is gone. */
export async function removePasskey(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const { passkeys, accounts } = dependencies
  const body = await readPageBody(page)
  const { id, user, by } = recentSession(dependencies, page)
  const removing = passkeys.remove(user.id, fieldOf(body, 'id').slice(0, 64).replaceAll('\0', ''), page.authority)
  await accounts.securityLog.recordAfter(removing, (target) => ({
    kind: 'passkey_removed',
    by,
    from: page.from,
    target,
  }))
  await accounts.sessions.endOthersOfPortal(user.id, id)
  redirect(page, '/')
}

/** Makes recovery codes in place of all there were, and shows them once. */
export async function makeRecoveryCodes(dependencies: PortalPagesDependencies, page: PageRequest): Promise<void> {
  const { accounts } = dependencies
  await readPageBody(page)
  const { user, by } = recentSession(dependencies, page)
  const event = { kind: 'recovery_codes_created', by, from: page.from } as const
  const codes = await accounts.securityLog.recordAfter(accounts.recoveryCodes.create(user.id), event)
  await sendAccount(dependencies, page, { user, codes })
}
