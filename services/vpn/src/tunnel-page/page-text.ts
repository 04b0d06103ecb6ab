import type { DeviceView } from './device-view.ts'
import { html, type Markup } from './markup.ts'
import { askSection, blockedSection, requestsSection } from './name-sections.ts'
import { deviceSection, filterSection, trafficSection } from './device-sections.ts'

export { stylesheet } from './page-style.data.ts'

/** What the page says after something was done, by the word that stands in its address. */
export const doneWords = {
  asked: 'Your request is sent. The answer will stand here.',
  paused: 'The filter of this device is paused. Names that were blocked may take a few seconds to work.',
  resumed: 'The filter of this device works again.',
} as const

/** Something to say on top of the page, and a form that could not be used. */
export interface PageMessage {
  readonly message?: string | undefined
  readonly problem?: string | undefined
  readonly form?: URLSearchParams | undefined
}

/** The page of a device. */
export function renderDevice(view: DeviceView, { message, problem, form }: PageMessage): string {
  return layout(
    view.peer.name,
    html`<p class="brand">Hearth VPN</p>
      <div class="top">
        <h1>${view.peer.name}</h1>
        <a href="/">Refresh</a>
      </div>
      ${message !== undefined && html`<p class="message" role="status">${message}</p>`}
      ${problem !== undefined && html`<p class="message bad" role="alert">${problem}</p>`} ${filterSection(view)}
      ${blockedSection(view)} ${askSection(form)} ${requestsSection(view)} ${trafficSection(view)}
      ${deviceSection(view)}`,
  )
}

/** A page that says one thing. */
export const renderMessage = (message: string): string =>
  layout(
    'VPN',
    html`<h1>VPN</h1>
      <section>
        <p>${message}</p>
        <p><a href="/">Try again</a></p>
      </section>`,
  )

function layout(title: string, content: Markup): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · VPN</title>
        <link rel="stylesheet" href="/page.css" />
      </head>
      <body>
        <main>${content}</main>
      </body>
    </html> `
  return page.text
}
