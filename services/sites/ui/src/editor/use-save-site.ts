import { answer, ApiError, notifyDone } from '@hearth/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, keys } from '../api.ts'
import { readSite } from '../sites/read-sites.ts'
import { show } from '../sites/site-actions.ts'
import type { Site, SiteEnvelope, SitePatch } from '../sites/site.ts'
import { toldOf } from '../sites/site-words.ts'
import { changesOf, type Draft } from './draft.ts'

/** A draft beside what it began with. */
export interface Draught {
  readonly base: Draft
  readonly draft: Draft
  /** The stored revision the draft began with; undefined for a new site. */
  readonly revision: number | undefined
}

/** Callbacks for the ways a save can end. */
export interface SaveEnds {
  readonly onStart: () => void
  readonly onSaved: (site: Site) => void
  /** Somebody else has saved meanwhile; gets the site as it is stored. */
  readonly onConflict: (stored: Site) => void
  readonly onRefused: (error: unknown) => void
}

/** Saves a site, or adds it; tells how Caddy took it. */
export function useSaveSite(id: number | undefined, ends: SaveEnds) {
  const cache = useQueryClient()
  return useMutation({
    mutationFn: (draught: Draught) => send(id, draught),
    onMutate: () => ends.onStart(),
    onSuccess: (envelope) => {
      show(cache, envelope.site)
      cache.setQueryData([...keys.sites, 'one', envelope.site.id], envelope.site)
      for (const queryKey of [keys.sites, keys.revisions, keys.status]) void cache.invalidateQueries({ queryKey })
      notifyDone(toldOf(envelope, id === undefined ? 'Added' : 'Saved'))
      ends.onSaved(envelope.site)
    },
    onError: async (error) => {
      const isConflict = error instanceof ApiError && error.status === 412 && id !== undefined
      if (isConflict) ends.onConflict(await readSite(id))
      else ends.onRefused(error)
    },
  })
}

function send(id: number | undefined, { base, draft, revision }: Draught): Promise<SiteEnvelope> {
  const body: SitePatch = changesOf(base, draft)
  if (id === undefined) return answer(api.POST('/api/sites', { body }))
  const headers = revision === undefined ? {} : { 'if-match': `"${revision}"` }
  return answer(api.PATCH('/api/sites/{id}', { params: { path: { id } }, headers, body }))
}
