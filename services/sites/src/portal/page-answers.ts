import { answerHeaders } from './page-html.ts'
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
