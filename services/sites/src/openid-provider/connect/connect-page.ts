import { html, type Html, type PortalPage } from '../../portal/page-html.ts'
import { fieldOf, type PageRequest } from '../../portal/portal-page-request.ts'
import { connectPath, membersOf, signInIdOf, type ConnectRequest } from './connect-request.ts'

/** What the page shows that asks about a service. */
export interface ConnectView {
  readonly page: PageRequest
  readonly request: ConnectRequest
  readonly username: string
  readonly groups: readonly string[]
  /** Why the administrator is still here. */
  readonly problem?: string
  /** What was chosen before. */
  readonly chosen?: Choice
}

/** Whom an administrator lets in. */
export interface Choice {
  readonly isEverybody: boolean
  readonly allowed: readonly string[]
  readonly admins: readonly string[]
}

/** Reads whom an administrator lets in; groups that there are not are left out. */
export function readChoice(
  body: Readonly<Record<string, unknown>>,
  { request, groups }: { readonly request: ConnectRequest; readonly groups: readonly string[] },
): Choice {
  const chosen = (kind: string) => groups.filter((_, index) => fieldOf(body, `${kind}-${index}`) === groups[index])
  return {
    isEverybody: fieldOf(body, 'everybody') !== '',
    allowed: chosen('allowed'),
    admins: request.service.hasRoles ? chosen('admin') : [],
  }
}

/** The page that asks an administrator whether a service may sign people in. */
export function connectPage(view: ConnectView): PortalPage {
  const { page, request, username, problem = '' } = view
  const { service, origin } = request
  return {
    status: problem === '' ? 200 : 400,
    title: `Connect ${service.title}?`,
    body: html`<p>${service.title} at <strong>${origin}</strong> wants to sign people in through this portal.</p>
      <p class="dim">You are signed in as ${username}. Allow it only if you began this there yourself.</p>
      <p id="note" class="bad" role="alert">${problem}</p>
      <form method="post" action="${connectPath}">
        ${hiddenFields(page, request)} ${allowedFields(view)} ${service.hasRoles ? adminFields(view) : html``}
        <button name="decision" value="allow">Allow</button>
        <button name="decision" value="cancel" class="other">Cancel</button>
      </form>`,
    headers: { 'Set-Cookie': page.cookies },
  }
}

function allowedFields({ request: { service }, groups, chosen }: ConnectView): Html {
  const account = service.hasRoles
    ? html``
    : html`<p class="dim">${service.title} has one account: whoever may sign in can change everything there.</p>`
  return html`<fieldset>
    <legend>Who may sign in there</legend>
    ${account}
    ${checkBox({ name: 'everybody', value: '1', label: 'Everybody who can sign in here', isOn: chosen?.isEverybody })}
    ${groups.map((group, index) =>
      checkBox({
        name: `allowed-${index}`,
        value: group,
        label: `Group ${group}`,
        isOn: chosen?.allowed.includes(group),
      }),
    )}
  </fieldset>`
}

function adminFields({ groups, chosen }: ConnectView): Html {
  const list = groups.map((group, index) =>
    checkBox({ name: `admin-${index}`, value: group, label: `Group ${group}`, isOn: chosen?.admins.includes(group) }),
  )
  return html`<fieldset>
    <legend>Who are administrators there</legend>
    <p class="dim">
      ${
        groups.length === 0
          ? 'There are no groups here. Roles are given on the page Users there.'
          : 'Without a group, roles are given on the page Users there.'
      }
    </p>
    ${list}
  </fieldset>`
}

interface CheckBox {
  readonly name: string
  readonly value: string
  readonly label: string
  readonly isOn: boolean | undefined
}

const checkBox = ({ name, value, label, isOn = false }: CheckBox): Html =>
  html`<label class="check"
    ><input type="checkbox" name="${name}" value="${value}" ${isOn ? html`checked` : html``} /> ${label}</label
  >`

/** The page for a user who may not connect anything. */
export function refusalPage({ page, request, username }: Omit<ConnectView, 'groups'>): PortalPage {
  const query = new URLSearchParams({ application: signInIdOf(request), again: '1' })
  return {
    status: 403,
    title: 'No access',
    body: html`<p>
        You are signed in as <strong>${username}</strong>, who is no administrator of Hearth Sites. Only they connect
        services to this portal.
      </p>
      <p><a href="/sign-in?${query.toString()}">Sign in as somebody else</a></p>
      <form method="post" action="${connectPath}">
        ${hiddenFields(page, request)}<button name="decision" value="cancel" class="other">
          Back to ${request.service.title}
        </button>
      </form>`,
    headers: { 'Set-Cookie': page.cookies },
  }
}

function hiddenFields({ csrfToken }: PageRequest, request: ConnectRequest): Html {
  const fields = Object.entries({ csrf: csrfToken, ...membersOf(request) })
  return html`${fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`
}
