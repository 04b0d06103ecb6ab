import { ApiError, readApiError, unreachable } from '@hearth/ui'
import { type ImportAnswer, send } from '../api.ts'
import { importBody, type ImportSource } from './import-source.ts'

/** Imports a source, or says what would happen. Throws an `ApiError`, or a `SyntaxError` for a text that is no JSON. */
export async function sendImport(source: ImportSource, isDryRun: boolean): Promise<ImportAnswer> {
  const body = importBody(source, isDryRun)
  const headers: Record<string, string> = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const request = new Request(`/api/caddy/import/${routeOf(source)}`, { method: 'POST', body, headers })
  const response = await send(request).catch((error: unknown) => {
    throw error instanceof ApiError ? error : unreachable()
  })
  if (!response.ok) throw await readApiError(response)
  return (await response.json()) as ImportAnswer
}

function routeOf({ kind }: ImportSource): string {
  return kind === 'node' ? 'config' : kind
}
