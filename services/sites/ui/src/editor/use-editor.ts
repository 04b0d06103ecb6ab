import { describeError } from '@hearth/ui'
import { useState } from 'react'
import type { Site } from '../sites/site.ts'
import { blankDraft } from './blank-draft.ts'
import { carriedOver, draftOf, isSame, withValue } from './draft.ts'
import type { Issue } from './issues.ts'
import { caddyWordsOf, issuesOf } from './refusal.ts'
import { type Draught, useSaveSite } from './use-save-site.ts'

/** Why the last save failed, where it is not about single members. */
export interface Refusal {
  readonly text: string
  readonly caddyWords: string | undefined
}

const begin = (site: Site | undefined): Draught => {
  const base = site === undefined ? blankDraft : draftOf(site)
  return { base, draft: base, revision: site?.revision }
}

function useDraught(site: Site | undefined) {
  const [held, hold] = useState(() => begin(site))
  const isStale = site !== undefined && held.revision !== undefined && site.revision > held.revision
  // What is typed is never touched; a save over it is refused, and then a person decides.
  if (isStale && isSame(held.base, held.draft)) hold(begin(site))
  return [held, hold] as const
}

/** A draft, what was said to it, and the ways to save it. `onSaved` gets the site of a save that worked. */
export function useEditor(site: Site | undefined, onSaved: (site: Site) => void) {
  const [held, hold] = useDraught(site)
  const [said, say] = useState<{ issues: readonly Issue[]; refusal?: Refusal }>({ issues: [] })
  const [conflict, setConflict] = useState<Site>()
  const [wasSent, setSent] = useState(false)

  const start = (next: Draught) => {
    say({ issues: [] })
    setConflict(undefined)
    hold(next)
  }
  const save = useSaveSite(site?.id, {
    onStart: () => setSent(true),
    onSaved: (saved) => {
      hold(begin(saved))
      onSaved(saved)
    },
    onConflict: setConflict,
    onRefused: (error) => say(saidBy(error)),
  })
  return {
    ...held,
    ...said,
    conflict,
    wasSent,
    isSaving: save.isPending,
    set: (path: string, value: unknown) => {
      say({ issues: [] })
      hold((old) => ({ ...old, draft: withValue(old.draft, path, value) }))
    },
    save: () => save.mutate(held),
    reset: (stored: Site | undefined = site) => start(begin(stored)),
    setConflict,
    saveOver: (stored: Site) => {
      const next = saveableOver(held, stored)
      start(next)
      save.mutate(next)
    },
  }
}

/** The changes of a draft over what somebody else has stored. */
function saveableOver({ base, draft }: Draught, stored: Site): Draught {
  const now = draftOf(stored)
  return { base: now, draft: carriedOver(base, draft, now), revision: stored.revision }
}

function saidBy(error: unknown): { issues: readonly Issue[]; refusal?: Refusal } {
  const issues = issuesOf(error)
  const caddyWords = caddyWordsOf(error)
  if (issues.length > 0 && caddyWords === undefined) return { issues }
  return { issues, refusal: { text: describeError(error), caddyWords } }
}
