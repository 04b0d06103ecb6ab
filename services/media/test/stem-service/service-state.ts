import type { Timers } from '@hearth/runtime'
import type { Script } from './script.ts'

export interface Source {
  readonly id: string
  readonly key: string
  readonly file: string
  readonly name: string
  readonly size: number
  readonly durationSeconds: number
  readonly expiresAt: number
}

/** The way a task splits; `null` stands for the format of the file. */
export interface Presets {
  readonly task_type: 'split'
  readonly label: 'stem_separator'
  readonly stem: string
  readonly splitter: string
  readonly encoder_format: string | null
}

export interface Task {
  readonly id: string
  readonly key: string
  readonly source: Source
  readonly presets: Presets
  readonly idempotencyKey: string | null
  /** Files of the results once they are made. */
  readonly results: Promise<{ stem: string; back: string }>
  readonly error: Script['taskErrors'][number] | undefined
  checks: number
  isStarted: boolean
  isCancelled: boolean
  isDone: boolean
  readonly createdAt: number
}

/** One account, found by its license key. */
export interface Account {
  minutes: number
  /** True when the plan has the API. */
  hasApi: boolean
}

/** One paid piece of work. */
export interface Payment {
  readonly key: string
  readonly taskId: string
  readonly minutes: number
}

/** Everything the service knows. */
export interface ServiceState {
  readonly folder: string
  readonly timers: Timers
  readonly script: Script
  readonly accounts: Map<string, Account>
  readonly sources: Map<string, Source>
  readonly tasks: Map<string, Task>
  readonly payments: Payment[]
  /** Time of the last check with each key. */
  readonly checks: Map<string, number[]>
  /** Its own address. */
  url: string
}

/** An answer that is not 200. */
export class Refused extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, detail: unknown, code?: string) {
    super(String(detail))
    this.status = status
    this.body = code === undefined ? { detail } : { detail, code }
  }
}

/** A member of the request is wrong, in the form the service's framework has for it. */
export const wrongMember = (location: readonly (string | number)[], message: string, type: string): Refused =>
  new Refused(422, [{ loc: location, msg: message, type }])

const hours24 = 86_400_000

export const isSourceThere = (state: ServiceState, source: Source): boolean =>
  state.sources.has(source.id) && state.timers.now() < source.expiresAt

export const sourceLifetime = hours24

/** A task of this key that can still be looked at. */
export function findTask(state: ServiceState, key: string, taskId: string): Task | undefined {
  const task = state.tasks.get(taskId)
  if (task === undefined || task.key !== key || state.timers.now() - task.createdAt > hours24) return undefined
  return task
}
