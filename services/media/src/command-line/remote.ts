import { setTimeout as pause } from 'node:timers/promises'
import { OperatorError } from '@hearth/runtime'
import { readTokenFile } from '@hearth/service'
import { z } from 'zod'
import { csrfCookie } from '../accounts/csrf.ts'
import { Export } from '../exports/schema.ts'
import { ImportedUrl } from '../intake/schema.ts'
import { Job } from '../jobs/schema.ts'
import { Workbench } from '../workbench/schema.ts'

/** Longest time until a file begins to come, milliseconds: it may have to be made. */
const timeout = 660_000
/** Time after which a request that a busy service puts off again and again is given up, seconds; for an export longer. */
const [maxWait, maxWaitForExport] = [120, 3600]

/** What a command reads of a job; the service may be of another version. */
const RemoteJob = Job.pick({ id: true, status: true, message: true, filename: true })
/** A job of a running service. */
export type RemoteJob = z.infer<typeof RemoteJob>

/** What a command reads of an export. */
const RemoteExport = Export.pick({ id: true, status: true, progress: true, message: true }).extend({
  files: z.array(z.object({ number: z.int() })),
})
/** An export of a running service. */
export type RemoteExport = z.infer<typeof RemoteExport>

const RemoteWorkbench = Workbench.pick({ parts: true, export: true })

const RemoteShare = z.object({ url: z.string() })

const RemoteImport = z.object({ results: z.array(ImportedUrl) })

const Failure = z.object({ detail: z.string(), existing_job: RemoteJob.optional() })

/** A finished file, under the name that the service gives it. */
export interface RemoteFile {
  readonly name: string
  readonly content: ReadableStream<Uint8Array>
}

/** The service could not be reached. */
export class Unreachable extends OperatorError {}

/** A running service over its API. Throws an `OperatorError` when it does not answer, or refuses. */
export interface Remote {
  /** Creates a job, or finds the one that has the same media already. */
  submit(fields: Readonly<Record<string, string>>): Promise<{ job: RemoteJob; isNew: boolean }>
  /** Makes a share link and returns its address. */
  share(fields: object): Promise<string>
  /** Has addresses downloaded one after another, and returns what became of each. */
  importUrls(fields: object): Promise<ImportedUrl[]>
  job(id: string): Promise<RemoteJob>
  file(id: string, format: string): Promise<RemoteFile>
  /** Parts and settings that are saved in the workbench of a job. */
  workbench(id: string): Promise<z.infer<typeof RemoteWorkbench>>
  /** Requests files of parts of a job. */
  exportParts(id: string, fields: object): Promise<RemoteExport>
  exports(id: string): Promise<RemoteExport[]>
  exportedFile(id: string, exportId: string, number: number): Promise<RemoteFile>
}

interface RemoteOptions {
  readonly url: string
  /** File with an API token; `-` reads standard input. Without one, sign-in must be off. */
  readonly tokenFile: string | undefined
  readonly signal: AbortSignal
}

/** Opens a running service for a command. */
export async function openRemote({ url, tokenFile, signal }: RemoteOptions): Promise<Remote> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new OperatorError(`--server: ${url} is no http or https address`)
  const base = url.endsWith('/') ? url : `${url}/`
  const authorization = tokenFile === undefined ? {} : { authorization: `Bearer ${await readTokenFile(tokenFile)}` }
  const send = (path: string, init: RequestInit = {}, longest = maxWait): Promise<Response> => {
    const headers = { ...authorization, ...(init.headers as Record<string, string> | undefined) }
    return requestInTurn(new URL(path, base), { ...init, headers, redirect: 'error', signal }, longest)
  }
  const post = async (path: string, fields: object, longest?: number): Promise<unknown> => {
    const csrf = tokenFile === undefined ? await csrfHeaders(await send('api/session')) : {}
    const headers = { ...csrf, 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: JSON.stringify(fields) }
    return (await good(await send(path, init, longest))).json()
  }
  const read = async (path: string): Promise<unknown> => (await good(await send(path))).json()
  const readFile = async (path: string): Promise<RemoteFile> => fileOf(await good(await send(path)))
  return {
    async job(id) {
      return RemoteJob.parse(await read(`api/jobs/${id}`))
    },
    async submit(fields) {
      const headers = tokenFile === undefined ? await csrfHeaders(await send('api/session')) : {}
      const response = await send('api/submit', { method: 'POST', headers, body: new URLSearchParams(fields) })
      if (response.status !== 409) return { job: RemoteJob.parse(await (await good(response)).json()), isNew: true }
      const failure = Failure.safeParse(await response.json().catch(() => undefined))
      const existing = failure.data?.existing_job
      if (existing === undefined) throw new OperatorError(failure.data?.detail ?? 'the service answers with status 409')
      return { job: existing, isNew: false }
    },
    async share(fields) {
      return RemoteShare.parse(await post('api/shares', fields)).url
    },
    async importUrls(fields) {
      return RemoteImport.parse(await post('api/imports', fields)).results
    },
    file: (id, format) => readFile(`download/${id}?format=${format}`),
    async workbench(id) {
      return RemoteWorkbench.parse(await read(`api/jobs/${id}/workbench`))
    },
    async exportParts(id, fields) {
      return RemoteExport.parse(await post(`api/jobs/${id}/exports`, fields, maxWaitForExport))
    },
    async exports(id) {
      return z.array(RemoteExport).parse(await read(`api/jobs/${id}/exports`))
    },
    exportedFile: (id, exportId, number) => readFile(`api/jobs/${id}/exports/${exportId}/files/${number}`),
  }
}

/** Sends a request, and again whenever the service says how long it is busy, for so many seconds in all. */
async function requestInTurn(url: URL, init: RequestInit & { signal: AbortSignal }, longest: number) {
  const begun = Date.now()
  for (;;) {
    const response = await request(url, init)
    const seconds = Math.max(1, Number(response.headers.get('retry-after') ?? NaN))
    const mayWait = [429, 503].includes(response.status) && Date.now() - begun + seconds * 1000 <= longest * 1000
    if (!mayWait) return response
    await response.body?.cancel()
    await pause(seconds * 1000, undefined, { signal: init.signal })
  }
}

/** Sends a request. One for a file that is long in the making is sent again when the client has waited long enough: what was made is kept. */
async function request(url: URL, init: RequestInit): Promise<Response> {
  const { signal } = init
  const begun = Date.now()
  for (;;) {
    try {
      return await fetch(url, init)
    } catch (error) {
      if (signal?.aborted === true) throw error
      const { cause, message } = error as Error
      const { code } = (cause ?? {}) as NodeJS.ErrnoException
      const mayRepeat = code === 'UND_ERR_HEADERS_TIMEOUT' && init.method === undefined
      if (mayRepeat && Date.now() - begun < timeout) continue
      const reason = cause instanceof Error ? cause.message : message
      throw new Unreachable(`${url.origin} does not answer: ${reason}`, { cause: error })
    }
  }
}

async function good(response: Response): Promise<Response> {
  if (response.ok) return response
  const failure = Failure.safeParse(await response.json().catch(() => undefined))
  const detail = failure.data?.detail ?? `the service answers with status ${response.status}`
  throw new OperatorError(
    response.status === 401 ? `${detail}; give a token with --token-file (Settings → Sign-in → API tokens)` : detail,
  )
}

function fileOf({ body, headers }: Response): RemoteFile {
  if (body === null) throw new OperatorError('the service sent no file')
  return { name: fileNameIn(headers.get('content-disposition') ?? ''), content: body }
}

/** The name in a header, without any part of a path. */
function fileNameIn(disposition: string): string {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1] ?? ''
  const name = decode(encoded).replaceAll(/[/\\\0]/g, '_')
  return /^\.*$/.test(name) ? 'media' : name
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The cookie against forged requests that every page gets, and the header that repeats it. */
async function csrfHeaders(response: Response): Promise<Record<string, string>> {
  await good(response)
  const cookie = response.headers.getSetCookie().find((text) => text.startsWith(`${csrfCookie}=`))
  const value = cookie?.slice(csrfCookie.length + 1).replace(/;.*$/s, '')
  return value === undefined ? {} : { cookie: `${csrfCookie}=${value}`, 'x-csrf-token': value }
}
