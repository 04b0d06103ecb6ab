import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** HTML that may stand in a page as it is. */
export interface Html {
  readonly html: string
}

/** Returns text as HTML: values are escaped, other HTML is not. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const text = (value: (typeof values)[number]): string => {
    if (typeof value === 'object') return 'html' in value ? value.html : value.map((one) => one.html).join('')
    return escapeHtml(String(value))
  }
  return { html: parts.map((part, index) => part + (index < values.length ? text(values[index] ?? '') : '')).join('') }
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? '')

/** A page of the portal. */
export interface PortalPage {
  readonly status: number
  readonly title: string
  readonly body: Html
  /** JavaScript of the page. */
  readonly script?: string
  /** Address to which the browser goes at once. */
  readonly next?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
}

/**
 * Headers of every answer of the portal: nobody keeps it, frames it, or learns its address. Without any referrer browsers would
 * send forms of the portal without their origin.
 */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

/** Answers with a page. */
export function sendPage(response: ServerResponse, page: PortalPage): void {
  const { status, headers, text } = renderPage(page)
  response.writeHead(status, headers as Record<string, string | string[]>)
  response.end(text)
}

/** Renders a page. Its style and script run by a nonce alone. */
export function renderPage(page: PortalPage) {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    `script-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
  const script = page.script === undefined ? '' : `<script nonce="${nonce}">${page.script}</script>`
  const next = page.next === undefined ? '' : `<meta http-equiv="refresh" content="0;url=${escapeHtml(page.next)}">\n`
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${next}<title>${escapeHtml(page.title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body><main><h1>${escapeHtml(page.title)}</h1>${page.body.html}</main>${script}</body>
</html>
`
  const headers = {
    ...answerHeaders,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    'Content-Security-Policy': policy,
    ...page.headers,
  }
  return { status: page.status, headers, text }
}

const style = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #1a1b1e; --dim: #5c5f66; --line: #868e96; --accent: #1864ab; --bad: #c92a2a }
@media (prefers-color-scheme: dark) { :root { --page: #141517; --card: #1f2023; --text: #e9ecef; --dim: #a6a7ab; --line: #5c5f66; --accent: #74c0fc; --bad: #ffa8a8 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 26rem; padding: 2rem; background: var(--card); border-radius: .75rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .5rem; font-size: 1.4rem; line-height: 1.3 }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.1rem }
p { margin: .5rem 0 } .dim { color: var(--dim) } .bad { color: var(--bad) }
label { display: block; margin-top: 1rem; font-weight: 600 }
input { width: 100%; margin-top: .25rem; padding: .6rem .7rem; font: inherit; font-weight: 400; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: .5rem }
fieldset { margin: 1rem 0 0; padding: .25rem 1rem 1rem; border: 1px solid var(--line); border-radius: .5rem } legend { padding: 0 .35rem; font-weight: 600 }
label.check { display: flex; gap: .6rem; margin-top: .6rem; font-weight: 400 } label.check input { width: 1.15rem; height: 1.15rem; flex: none; margin: .2rem 0 0; padding: 0 }
button { width: 100%; margin-top: 1rem; padding: .65rem; font: inherit; font-weight: 600; cursor: pointer; color: var(--card); background: var(--accent); border: 1px solid var(--accent); border-radius: .5rem }
button.other { color: var(--accent); background: transparent }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
a { color: var(--accent) } ul { padding-left: 1.2rem } li form { display: inline } li button { width: auto; margin: .25rem 0 .25rem .5rem; padding: .1rem .6rem }
code { display: block; font-size: 1rem; white-space: pre-line }
[hidden] { display: none }
`
