import type { RefObject } from 'react'
import { useLocation } from 'wouter'
import type { Job } from '../api.ts'
import { useKeys, type KeyHelp } from '../keyboard/keys.tsx'
import { isActive, isDownloadable, isFailed } from './job.ts'
import type { RowActions } from './job-row.tsx'

/** The keys of the list, for the help. */
export const listKeys: readonly KeyHelp[] = [
  ['/', 'Go to the address field'],
  ['f', 'Go to the search'],
  ['j', 'Next download'],
  ['k', 'Previous download'],
  ['Enter', 'Open it'],
  ['d', 'Save its file'],
  ['c', 'Cancel it'],
  ['r', 'Try it again'],
  ['?', 'Show these keys'],
]

/** Targets of the list's keyboard shortcuts. */
export interface ListKeys {
  jobs: readonly Job[]
  actions: RowActions
  field: RefObject<HTMLElement | null>
  search: RefObject<HTMLElement | null>
  onHelp: () => void
}

/** Walks through the list and acts on the row that has the focus. */
export function useListKeys({ jobs, actions, field, search, onHelp }: ListKeys): void {
  const [, navigate] = useLocation()
  const withRow = (may: (job: Job) => boolean, act: (job: Job) => void) => () => {
    const job = jobs.find(({ id }) => id === focusedRow()?.dataset['job'])
    if (job === undefined || !may(job)) return false
    act(job)
    return true
  }
  useKeys({
    '/': () => field.current?.focus(),
    f: () => search.current?.focus(),
    j: () => step(1),
    k: () => step(-1),
    Enter: withRow(
      () => true,
      ({ id }) => navigate(`/job/${id}`),
    ),
    d: withRow(isDownloadable, actions.onSave),
    c: withRow(isActive, actions.onCancel),
    r: withRow(isFailed, actions.onRetry),
    '?': onHelp,
  })
}

const focusedRow = () => document.activeElement?.closest<HTMLElement>('[data-job]') ?? undefined

function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-job]')]
  const present = focusedRow()
  const first = by === 1 ? 0 : rows.length - 1
  const next = rows[present === undefined ? first : rows.indexOf(present) + by]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}
