import type { Destination, DestinationTexts } from './destination.ts'
import { html, type Html, type PortalPage } from './page-html.ts'
import { passkeyScript } from './passkey-script.ts'

/** What the sign-in page shows. */
export interface SignInView {
  readonly csrfToken: string
  /** Undefined for the page of the visitor's own account. */
  readonly destination: Destination | undefined
  readonly texts: DestinationTexts
  readonly status?: number
  /** Why the visitor is still here. */
  readonly problem?: string
  readonly username?: string
  /** The visitor must choose a new password. */
  readonly isPasswordOver?: boolean
  readonly headers?: PortalPage['headers']
}

/** The page on which a visitor signs in. */
export function signInPage(view: SignInView): PortalPage {
  const { destination, problem = '', username = '', isPasswordOver = false } = view
  return {
    status: view.status ?? 200,
    title: 'Sign in',
    body: html` <p class="dim">${purposeOf(destination)}</p>
      <p id="note" class="bad" role="alert">${problem}</p>
      <form method="post" action="/sign-in">
        ${hiddenFields(view)}
        <label
          >User name
          <input name="username" value="${username}" autocomplete="username" autocapitalize="none" required autofocus
        /></label>
        <label
          >Password or recovery code <input name="password" type="password" autocomplete="current-password" required
        /></label>
        ${isPasswordOver ? html`<label>New password <input name="new_password" type="password" autocomplete="new-password" required /></label>` : html``}
        <button>Sign in</button>
      </form>
      <form data-passkey="use" hidden>${hiddenFields(view)}<button class="other">Use a passkey</button></form>`,
    script: passkeyScript,
    ...(view.headers && { headers: view.headers }),
  }
}

function purposeOf(destination: Destination | undefined): string {
  if (destination === undefined) return 'To see your account.'
  const { name } = destination
  return destination.kind === 'site' ? `To continue to ${name} at ${destination.authority}.` : `To continue to ${name}.`
}

function hiddenFields({ csrfToken, texts }: SignInView): Html {
  const fields = { csrf: csrfToken, ...texts }
  return html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`
}
