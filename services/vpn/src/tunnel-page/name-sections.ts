import type { NameRequestRow } from '../name-requests/tables.ts'
import type { BlockedName, DeviceView } from './device-view.ts'
import { html, type Markup } from './markup.ts'
import { agoText, timesText } from './page-words.ts'

/** Names that were blocked in the last hour. */
export function blockedSection({ blocked, now }: DeviceView): Markup {
  const content =
    blocked === null
      ? html`<p class="dim">What this device looks up is not recorded.</p>`
      : blocked.length === 0
        ? html`<p class="dim">Nothing was blocked.</p>`
        : html`<ul>
            ${blocked.map((name) => blockedItem(name, now))}
          </ul>`
  return html`<section aria-labelledby="blocked">
    <h2 id="blocked">Blocked in the last hour</h2>
    ${content}
  </section>`
}

const blockedItem = ({ domain, count, lastAt, why, isAsked }: BlockedName, now: number): Markup =>
  html`<li>
    <div class="name">${domain}</div>
    <p class="dim">${timesText(count)}, ${count === 1 ? '' : 'last '}${agoText(lastAt, now)}; ${why}</p>
    ${
      isAsked
        ? html`<p>You have asked for it.</p>`
        : html`<form method="post" action="/ask">
            <input type="hidden" name="domain" value="${domain}" /><button aria-label="Ask to allow ${domain}">
              Ask to allow
            </button>
          </form>`
    }
  </li>`

/** The form that asks for a name; with what was written before. */
export function askSection(form: URLSearchParams | undefined): Markup {
  const [domain, note] = [form?.get('domain') ?? '', form?.get('note') ?? '']
  return html`<section aria-labelledby="ask"><h2 id="ask">Ask for a name</h2>
<details${domain === '' ? null : html` open`}><summary>Something does not work? Ask for its name to be allowed</summary>
<form method="post" action="/ask">
<label>Name<input name="domain" required maxlength="255" placeholder="example.com" autocapitalize="none" autocomplete="off" spellcheck="false" value="${domain.slice(0, 255)}"></label>
<label>What you need it for (optional)<input name="note" maxlength="200" autocomplete="off" value="${note.slice(0, 200)}"></label>
<button class="main">Send request</button>
</form></details></section>`
}

/** Requests of the device, and their answers. */
export function requestsSection({ requests, now }: DeviceView): Markup | null {
  if (requests.length === 0) return null
  return html`<section aria-labelledby="requests">
    <h2 id="requests">Your requests</h2>
    <ul>
      ${requests.map((request) => requestItem(request, now))}
    </ul>
  </section>`
}

const statusWords = {
  open: html`<span>Waiting for an answer</span>`,
  allowed: html`<span class="good">Allowed</span>`,
  refused: html`<span class="bad">Not allowed</span>`,
} as const

const requestItem = (request: NameRequestRow, now: number): Markup => {
  const { domain, note, status, answer, created_at: asked, answered_at: answered } = request
  return html`<li>
    <div class="top"><span class="name">${domain}</span>${statusWords[status]}</div>
    <p class="dim">Asked ${agoText(asked, now)}${answered !== null && `, answered ${agoText(answered, now)}`}</p>
    ${note !== '' && html`<p>You: ${note}</p>`}${answer !== '' && html`<p>Answer: ${answer}</p>`}
  </li>`
}
