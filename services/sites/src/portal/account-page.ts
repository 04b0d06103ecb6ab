import type { Passkey } from '@hearth/accounts/passkey-schema'
import { html, type PortalPage } from './page-html.ts'
import { passkeyScript } from './passkey-script.ts'

/** What the page of a visitor's account shows. */
export interface AccountView {
  readonly csrfToken: string
  readonly username: string
  readonly passkeys: readonly Pick<Passkey, 'id' | 'device_name'>[]
  readonly codesLeft: number
  /** New recovery codes, shown once. */
  readonly codes?: readonly string[]
  readonly headers?: PortalPage['headers']
}

/** The page of a visitor's account: passkeys, recovery codes, signing out. */
export function accountPage({ csrfToken, username, passkeys, codesLeft, codes, headers }: AccountView): PortalPage {
  const csrf = html`<input type="hidden" name="csrf" value="${csrfToken}" />`
  const list = passkeys.map(
    ({ id, device_name: name }) =>
      html`<li>
        ${name}
        <form method="post" action="/passkeys/remove">
          ${csrf}<input type="hidden" name="id" value="${id}" /><button class="other" aria-label="Remove ${name}">
            Remove
          </button>
        </form>
      </li>`,
  )
  const shownCodes =
    codes === undefined
      ? html``
      : html`<p>Keep these codes in a safe place. Each signs you in once, and they are shown only now.</p>
          <code>${codes.join('\n')}</code>`
  return {
    status: 200,
    title: 'Your account',
    body: html` <p>You are signed in as <strong>${username}</strong>.</p>
      <p id="note" class="bad" role="alert"></p>
      <form method="post" action="/sign-out">${csrf}<button>Sign out of all sites</button></form>
      <h2>Passkeys</h2>
      ${
        list.length === 0
          ? html`<p class="dim">You have no passkeys here.</p>`
          : html`<ul>
              ${list}
            </ul>`
      }
      <form data-passkey="new" hidden>
        ${csrf}<label>Name of the device <input name="device_name" maxlength="100" placeholder="My phone" /></label
        ><button class="other">Add a passkey</button>
      </form>
      <h2>Recovery codes</h2>
      <p class="dim">${codesLeft} left. A code signs you in once in place of the password.</p>
      ${shownCodes}
      <form method="post" action="/recovery-codes">
        ${csrf}<button class="other">Make new recovery codes</button>
      </form>`,
    script: passkeyScript,
    ...(headers && { headers }),
  }
}
