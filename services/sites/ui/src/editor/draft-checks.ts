import { answer, ApiError, type FieldProblem } from '@hearth/ui'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import type { components } from '../api.gen.ts'
import type { SiteInput, SitePatch } from '../sites/site.ts'
import type { Issue } from './issues.ts'
import { type Draft, upstreamsOf } from './draft.ts'

export type Preview = components['schemas']['Preview']

/** Result of checking a draft by the server and Caddy. */
export interface Checked {
  /** Undefined without a change, and when the server could not even read the draft. */
  readonly preview: Preview | undefined
  readonly issues: readonly Issue[]
  readonly isChecking: boolean
  /** Why nothing can be said. */
  readonly problem: unknown
}

/** The server counts previews by the minute, so a pause of the keys is waited for. */
const previewPauseMs = 450

/** Checks a draft whenever it changes. `body` is what would be sent; undefined when nothing differs. */
export function usePreview(id: number | undefined, body: SitePatch | undefined): Checked {
  const text = body === undefined ? '' : JSON.stringify(body)
  const [settled] = useDebouncedValue(text, previewPauseMs)
  const query = useQuery<Preview>({
    queryKey: ['preview', id ?? 'new', settled],
    queryFn: ({ signal }) => requestPreview(id, settled, signal),
    enabled: settled !== '' && text !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
    retry: (failures, error) => error instanceof ApiError && error.status === 429 && failures < 5,
    retryDelay: (_, error) => (error instanceof ApiError ? (error.retryAfter ?? 5) : 5) * 1000,
  })
  const isChecking = text !== settled || query.isFetching
  if (text === '') return { preview: undefined, issues: [], isChecking: false, problem: undefined }
  const refused = issuesOf(query.error)
  return {
    preview: query.data,
    issues: query.error === null ? (query.data?.issues ?? []) : refused,
    isChecking,
    problem: query.error !== null && refused.length === 0 ? query.error : undefined,
  }
}

function requestPreview(id: number | undefined, text: string, signal: AbortSignal): Promise<Preview> {
  const body = JSON.parse(text) as SiteInput
  if (id === undefined) return answer(api.POST('/api/sites/preview', { body, signal }))
  return answer(api.POST('/api/sites/{id}/preview', { params: { path: { id } }, body, signal }))
}

export type UpstreamCheck = components['schemas']['UpstreamCheck']

const checkPauseMs = 600

/** Checks the upstreams of a draft while it is edited. Returns those that accept no connection. */
export function useUpstreamCheck(draft: Draft, isDirty: boolean): readonly UpstreamCheck[] {
  const text = isDirty ? JSON.stringify(upstreamsOf(draft)) : '[]'
  const [settled] = useDebouncedValue(text, checkPauseMs)
  const query = useQuery({
    queryKey: ['upstream-check', settled],
    queryFn: async ({ signal }) => {
      const body = { urls: JSON.parse(settled) as string[] }
      return (await answer(api.POST('/api/sites/check-upstreams', { body, signal }))).upstreams
    },
    enabled: text !== '[]' && settled !== '[]',
    staleTime: 15_000,
    gcTime: 15_000,
    retry: false,
  })
  return text === settled ? (query.data?.filter(({ up }) => up === false) ?? []) : []
}

/** Returns the issues in a refused call; none for other errors. */
export function issuesOf(error: unknown): Issue[] {
  if (!(error instanceof ApiError) || error.status !== 422) return []
  return error.fields
    .filter(({ path }) => path !== '')
    .map(({ path, message }: FieldProblem) => ({ field: path === 'domain' ? 'domains' : path, message }))
}

/** Returns Caddy's own error message in a refused call. */
export function caddyWordsOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  const { errors } = error.details
  if (!Array.isArray(errors)) return undefined
  for (const part of errors as unknown[])
    if (typeof part === 'object' && part !== null && 'caddy_error' in part && typeof part.caddy_error === 'string')
      return part.caddy_error
  return undefined
}
