import { answer, ApiError, describeError, notifyDone } from '@hearth/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, keys } from '../api.ts'
import { readSite } from '../sites/read-sites.ts'
import { show } from '../sites/site-actions.ts'
import { saveMessage } from '../sites/site-words.ts'
import type { Site, SiteEnvelope } from '../sites/site.ts'
import { blankDraft } from './blank-draft.ts'
import { caddyWordsOf, issuesOf } from './draft-checks.ts'
import { carriedOver, changesOf, type Draft, draftOf, isSame, withValue } from './draft.ts'
import type { Issue } from './issues.ts'

/** A draft beside what it began with. */
interface Edited {
  readonly base: Draft
  readonly draft: Draft
  /** The stored revision the draft began with; undefined for a new site. */
  readonly revision: number | undefined
}

/** Why the last save failed, where it is not about single members. */
interface Refusal {
  readonly text: string
  readonly caddyWords: string | undefined
}

const begin = (site: Site | undefined): Edited => {
  const base = site === undefined ? blankDraft : draftOf(site)
  return { base, draft: base, revision: site?.revision }
}

function useEdited(site: Site | undefined) {
  const [held, hold] = useState(() => begin(site))
  const isStale = site !== undefined && held.revision !== undefined && site.revision > held.revision
  // What is typed is never touched; a save over it is refused, and then a person decides.
  if (isStale && isSame(held.base, held.draft)) hold(begin(site))
  return [held, hold] as const
}

/** A draft, what was said to it, and the ways to save it. `onSaved` gets the site of a save that worked. */
export function useEditor(site: Site | undefined, onSaved: (site: Site) => void) {
  const cache = useQueryClient()
  const [held, hold] = useEdited(site)
  const [said, say] = useState<{ issues: readonly Issue[]; refusal?: Refusal }>({ issues: [] })
  const [conflict, setConflict] = useState<Site>()
  const [wasSent, setSent] = useState(false)

  const start = (next: Edited) => {
    say({ issues: [] })
    setConflict(undefined)
    hold(next)
  }
  const save = useMutation({
    mutationFn: (edited: Edited) => send(site?.id, edited),
    onMutate: () => setSent(true),
    onSuccess: (envelope) => {
      show(cache, envelope.site)
      cache.setQueryData([...keys.sites, 'one', envelope.site.id], envelope.site)
      for (const queryKey of [keys.sites, keys.revisions, keys.status]) void cache.invalidateQueries({ queryKey })
      notifyDone(saveMessage(envelope, site === undefined ? 'Added' : 'Saved'))
      hold(begin(envelope.site))
      onSaved(envelope.site)
    },
    onError: async (error) => {
      const isConflict = error instanceof ApiError && error.status === 412 && site !== undefined
      if (isConflict) setConflict(await readSite(site.id))
      else say(saidBy(error))
    },
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
function saveableOver({ base, draft }: Edited, stored: Site): Edited {
  const now = draftOf(stored)
  return { base: now, draft: carriedOver(base, draft, now), revision: stored.revision }
}

function saidBy(error: unknown): { issues: readonly Issue[]; refusal?: Refusal } {
  const issues = issuesOf(error)
  const caddyWords = caddyWordsOf(error)
  if (issues.length > 0 && caddyWords === undefined) return { issues }
  return { issues, refusal: { text: describeError(error), caddyWords } }
}

function send(id: number | undefined, { base, draft, revision }: Edited): Promise<SiteEnvelope> {
  const body = changesOf(base, draft)
  if (id === undefined) return answer(api.POST('/api/sites', { body }))
  const headers = revision === undefined ? {} : { 'if-match': `"${revision}"` }
  return answer(api.PATCH('/api/sites/{id}', { params: { path: { id } }, headers, body }))
}
