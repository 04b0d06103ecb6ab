import { html, renderPage, type Html, type PortalPage } from '../portal/page-html.ts'
import type { LibraryContext } from './oidc-library.ts'

/** Answers a request of the library with a page. */
export function showPage(context: LibraryContext, page: PortalPage): void {
  const { status, headers, text } = renderPage(page)
  context.status = status
  const { 'Content-Length': _length, ...rest } = headers
  context.set(rest as Record<string, string>)
  context.body = text
}

const explained: Readonly<Record<string, string>> = {
  invalid_client: 'No application with this client id is registered here.',
  invalid_redirect_uri: 'The application wants to return to an address that is not registered for it here.',
  invalid_request: 'The application sent a request that cannot be answered.',
  server_error: 'Something went wrong here. Please try again.',
  temporarily_unavailable: 'Nobody can sign in at the moment. Please try again.',
}

/** Shows an error that cannot be sent back to an application, for people. */
export function renderError(
  context: LibraryContext,
  { error, error_description: description }: { readonly error: string; readonly error_description?: string },
): Promise<void> {
  const status = context.status >= 400 ? context.status : 400
  showPage(
    context,
    errorPage(status, explained[error] ?? 'This sign-in cannot go on.', `${error}: ${description ?? ''}`),
  )
  return Promise.resolve()
}

/** The page of a sign-in that cannot go on. */
export function errorPage(status: number, message: string, detail?: string): PortalPage {
  return {
    status,
    title: 'Sign-in is not possible',
    body: html`<p>${message}</p>
      ${detail === undefined ? html`` : html`<p class="dim">${detail.slice(0, 300)}</p>`}
      <p class="dim">Go back to the application and begin again.</p>`,
  }
}

/** Pages of signing out. */
export const endSessionPages = {
  logoutSource(context: LibraryContext): void {
    const { oidc } = context
    const action = oidc?.urlFor('end_session_confirm') ?? ''
    const name = oidc?.client?.clientName
    showPage(context, {
      status: 200,
      title: 'Sign out?',
      body: html`<p>
          ${name === undefined ? 'You' : html`${name} signed you out. You`} are still signed in here, and at every other
          site and application of this portal.
        </p>
        <form method="post" action="${new URL(action).pathname}">
          <input type="hidden" name="xsrf" value="${oidc?.session?.state?.secret ?? ''}" />
          <button name="logout" value="yes">Sign out everywhere</button>
          <button class="other">Stay signed in</button>
        </form>`,
    })
  },
  postLogoutSuccessSource(context: LibraryContext): void {
    showPage(context, { status: 200, title: 'Signed out', body: html`<p>You are signed out.</p>` })
  },
}

/** The page that leads a browser on after a form: browsers hold redirects after a form to the policy of its page. */
export function onwardPage(title: string, to: { readonly location: string; readonly label: string }): PortalPage {
  const link: Html = html`<p><a href="${to.location}">Continue to ${to.label}</a></p>`
  return { status: 200, title, body: link, next: to.location }
}
