import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findTask,
  isSourceThere,
  Refused,
  sourceLifetime,
  wrongMember,
  type Account,
  type Presets,
  type ServiceState,
  type Source,
  type Task,
} from './service-state.ts'
import { durationOf, splitAudio } from './split-audio.ts'

/** A call whose key was accepted. */
export interface AcceptedCall {
  readonly key: string
  readonly account: Account
  readonly headers: Record<string, string | string[] | undefined>
  /** The parsed JSON body; undefined for an upload. */
  readonly json: Record<string, unknown> | undefined
  /** The uploaded file and its size. */
  readonly upload: { readonly file: string; readonly size: number } | undefined
}

export type Endpoint = (state: ServiceState, call: AcceptedCall) => Promise<unknown>

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

function uuidMember(json: Record<string, unknown> | undefined, name: string): string {
  const value = json?.[name]
  if (value === undefined) throw wrongMember(['body', name], 'Field required', 'missing')
  if (typeof value !== 'string' || !uuid4.test(value)) throw wrongMember(['body', name], 'not a uuid4', 'uuid_parsing')
  return value
}

function taskIdsMember(json: Record<string, unknown> | undefined): string[] {
  const value = json?.['task_ids']
  if (!Array.isArray(value)) throw wrongMember(['body', 'task_ids'], 'Field required', 'missing')
  if (value.length > 200) throw wrongMember(['body', 'task_ids'], 'at most 200 items', 'too_long')
  const wrong = value.findIndex((id) => typeof id !== 'string' || !uuid4.test(id))
  if (wrong >= 0) throw wrongMember(['body', 'task_ids', wrong], 'not a uuid4', 'uuid_parsing')
  return value as string[]
}

const upload: Endpoint = async (state, { key, headers, upload }) => {
  const name = fileNameOf(headers['content-disposition'])
  if (name === undefined) throw wrongMember(['header', 'Content-Disposition'], 'Field required', 'missing')
  if (upload === undefined || upload.size === 0) throw new Refused(400, 'The file is empty.')
  const durationSeconds = await durationOf(upload.file)
  if (durationSeconds === undefined) throw new Refused(400, 'This is not a media file.')
  const expiresAt = state.timers.now() + sourceLifetime
  const source: Source = { id: randomUUID(), key, name, durationSeconds, expiresAt, ...upload }
  state.sources.set(source.id, source)
  const { id, size } = source
  return { id, name, size, duration: Math.round(durationSeconds), expires: Math.floor(expiresAt / 1000) }
}

function fileNameOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || !/^attachment\s*;/i.test(header)) return undefined
  const encoded = /filename\*=utf-8''([^;]+)/i.exec(header)?.[1]
  if (encoded !== undefined) return decodeURIComponent(encoded)
  return /filename="([^"]*)"/.exec(header)?.[1] ?? /filename=([^;\s]+)/.exec(header)?.[1]
}

const oneOf = (words: string): ReadonlySet<unknown> => new Set(words.split(' '))
const stems = oneOf('vocals drum piano bass electric_guitar acoustic_guitar synthesizer strings wind')
const splitters = oneOf('auto andromeda perseus orion phoenix lyra lynx')
const formats = oneOf('mp3 wav flac aac ogg')

function presetsMember(json: Record<string, unknown> | undefined): Presets {
  const presets = json?.['presets'] as Record<string, unknown> | undefined
  const wrong = (name: string) => wrongMember(['body', 'presets', name], 'not one of the values', 'enum')
  if (presets === undefined) throw wrongMember(['body', 'presets'], 'Field required', 'missing')
  const { stem, splitter = 'auto', encoder_format: format = null } = presets
  if (!stems.has(stem)) throw wrong('stem')
  if (!splitters.has(splitter)) throw wrong('splitter')
  if (format !== null && !formats.has(format)) throw wrong('encoder_format')
  return {
    task_type: 'split',
    label: 'stem_separator',
    stem: stem as string,
    splitter: splitter as string,
    encoder_format: format as string | null,
  }
}

const split: Endpoint = async (state, call) => {
  const sourceId = uuidMember(call.json, 'source_id')
  const presets = presetsMember(call.json)
  const idempotencyKey = call.json?.['idempotency_key'] ? uuidMember(call.json, 'idempotency_key') : null
  const earlier = [...state.tasks.values()].find(
    (task) => idempotencyKey !== null && task.key === call.key && task.idempotencyKey === idempotencyKey,
  )
  if (earlier !== undefined && earlier.error?.code !== 'internal_error') {
    if (!earlier.isStarted && state.script.isKeyReusableInQueue) return { task_id: earlier.id }
    throw new Refused(400, 'Idempotency key has already been used.', 'idempotency_key_used')
  }
  const source = state.sources.get(sourceId)
  if (source === undefined || source.key !== call.key || !isSourceThere(state, source)) {
    throw new Refused(400, 'The file has not been uploaded or has already been deleted.')
  }
  pay(state, call, source)
  const task = startTask(state, { source, presets, idempotencyKey })
  if (earlier === undefined) state.payments.push({ key: call.key, taskId: task.id, minutes: minutesOf(source) })
  // What failed inside the service is not paid; the work under the same key takes its place.
  else call.account.minutes += minutesOf(source)
  return { task_id: task.id }
}

/** One stem is asked for, so the price is the length. */
const minutesOf = (source: Source): number => source.durationSeconds / 60

function pay(state: ServiceState, call: AcceptedCall, source: Source): void {
  if (source.durationSeconds > state.script.maxDurationSeconds) throw new Refused(400, 'Too long.', 'max_duration')
  if (source.size > state.script.maxBytes) throw new Refused(400, 'Too large.', 'exceeded_size')
  if (call.account.minutes < minutesOf(source)) throw new Refused(400, 'No minutes left.', 'exceeded_duration')
  call.account.minutes -= minutesOf(source)
}

function startTask(state: ServiceState, wanted: Pick<Task, 'source' | 'presets' | 'idempotencyKey'>): Task {
  const id = randomUUID()
  const format = wanted.presets.encoder_format ?? 'wav'
  const stem = join(state.folder, `${id}-stem.${format}`)
  const back = join(state.folder, `${id}-back.${format}`)
  const results = splitAudio(wanted.source.file, { stem, back }).then(() => ({ stem, back }))
  results.catch(() => undefined)
  const task: Task = {
    ...wanted,
    id,
    key: wanted.source.key,
    results,
    error: state.script.taskErrors.shift(),
    checks: 0,
    isStarted: false,
    isCancelled: false,
    isDone: false,
    createdAt: state.timers.now(),
  }
  state.tasks.set(id, task)
  return task
}

const check: Endpoint = async (state, { key, json }) => {
  const ids = taskIdsMember(json)
  const now = state.timers.now()
  const recent = (state.checks.get(key) ?? []).filter((at) => now - at < 60_000)
  if (recent.length >= state.script.checksPerMinute) throw new Refused(429, 'Too many requests.')
  state.checks.set(key, [...recent, now])
  const isBroken = state.script.serverErrors > 0
  if (isBroken) state.script.serverErrors -= 1
  const tasks = ids.map((id) => findTask(state, key, id)).filter((task) => task !== undefined)
  const entries = tasks.map(async (task) => [task.id, isBroken ? broken : await standOf(state, task)])
  return { result: Object.fromEntries(await Promise.all(entries)) }
}

const broken = { status: 'server_error', error: 'Failed to extract information about task' }

async function standOf(state: ServiceState, task: Task): Promise<unknown> {
  const base = { source_id: task.source.id, presets: task.presets }
  if (task.isCancelled) return { status: 'cancelled', ...base }
  if (!task.isDone && !isSourceThere(state, task.source)) {
    return { status: 'server_error', error: 'The file has already been deleted. Please upload it again.' }
  }
  const progress = state.script.progress[task.checks]
  task.checks += 1
  task.isStarted ||= progress === undefined || progress > 0
  if (progress !== undefined) return { status: 'progress', progress, ...base }
  task.isDone = true
  if (task.error !== undefined) return { status: 'error', error: { ...task.error, id: randomUUID() }, ...base }
  await task.results
  return { status: 'success', result: resultOf(state, task), ...base }
}

function resultOf(state: ServiceState, task: Task) {
  const origin = state.script.resultOrigin ?? state.url
  const track = (type: 'stem' | 'back', label: string) => {
    const url = `${origin}/results/${task.id}/${type}/${label}`
    return { type, label, url, name: label, size: null, playlist_file: null, waveform: null }
  }
  const { stem } = task.presets
  return {
    duration: Math.round(task.source.durationSeconds),
    tracks: [track('stem', stem), track('back', `no_${stem}`)],
  }
}

const cancel: Endpoint = async (state, { key, json }) => {
  const entries = taskIdsMember(json).map((id) => {
    const task = findTask(state, key, id)
    if (task === undefined) return [id, broken]
    if (task.isDone || task.isCancelled) return [id, { status: 'server_error', error: 'Task is not in progress state' }]
    task.isCancelled = true
    return [id, { status: 'success' }]
  })
  return { result: Object.fromEntries(entries) }
}

const remove: Endpoint = async (state, { key, json }) => {
  const source = state.sources.get(uuidMember(json, 'source_id'))
  if (source === undefined || source.key !== key) throw new Refused(400, 'The file was not found.')
  state.sources.delete(source.id)
  await rm(source.file, { force: true })
  for (const task of state.tasks.values()) {
    if (task.source.id === source.id && !task.isDone) task.isCancelled = true
  }
  return {}
}

const minutesLeft: Endpoint = async (_state, { account }) => ({ minutes_left: account.minutes })

export const endpoints: Readonly<Record<string, Endpoint>> = {
  '/api/v1/upload/': upload,
  '/api/v1/split/stem_separator/': split,
  '/api/v1/check/': check,
  '/api/v1/cancel/': cancel,
  '/api/v1/delete/': remove,
  '/api/v1/limits/minutes_left/': minutesLeft,
}
