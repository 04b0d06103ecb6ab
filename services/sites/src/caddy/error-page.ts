import type { CompiledSite } from './desired-state.ts'
import { escapeBraces } from './placeholders.ts'

/** The route of a server's `errors` that shows the site's page when no upstream answers. */
export function errorPageRoute({ record }: CompiledSite): object | undefined {
  if (record.error_page === null) return undefined
  const show = {
    handler: 'static_response',
    status_code: '{http.error.status_code}',
    headers: { 'Content-Type': ['text/html; charset=utf-8'], 'Cache-Control': ['no-store'] },
    body: escapeBraces(record.error_page),
  }
  return {
    match: [{ host: [...record.domains], vars: { '{http.error.status_code}': ['500', '502', '503', '504'] } }],
    handle: [show],
    terminal: true,
  }
}
