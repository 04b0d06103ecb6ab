import { answerHeaders, html, sendPage } from './page-html.ts'
import type { PageRequest } from './portal-page-request.ts'

/** Answers a script of the portal's pages. */
export function sendJson(
  { response, cookies }: Pick<PageRequest, 'response' | 'cookies'>,
  status: number,
  body: object,
): void {
  response.writeHead(status, { ...answerHeaders, 'Content-Type': 'application/json', 'Set-Cookie': cookies })
  response.end(JSON.stringify(body))
}

/** Leads a browser to another page. */
export function redirect({ response, cookies }: PageRequest, location: string): void {
  response.writeHead(303, { ...answerHeaders, Location: location, 'Set-Cookie': cookies })
  response.end()
}

/**
 * Leads a browser to a site after a form. Browsers hold every redirect after a form to the form's policy, those of the site's own
 * pages as well, so it is a page that leads on.
 */
export function leadTo({ response, cookies }: PageRequest, location: string, siteName: string): void {
  sendPage(response, {
    status: 200,
    title: 'You are signed in',
    body: html`<p><a href="${location}">Continue to ${siteName}</a></p>`,
    next: location,
    headers: { 'Set-Cookie': cookies },
  })
}
