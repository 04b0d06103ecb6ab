import { answer, ApiError, describeError } from '@hearth/ui'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useReducer, useRef, useState, useSyncExternalStore } from 'react'
import { api, keys, ofJob, type Workbench, type WorkbenchChange } from '../api.ts'
import { SessionSaver, type SaveState } from './session-saver.ts'
import { openSession, reduce, type Content } from './session.ts'

/** Reads the session of a job. */
export const readWorkbench = (jobId: string) => answer(api.GET('/api/jobs/{job_id}/workbench', ofJob(jobId)))

const contentOf = ({ parts, cues, grid, export: settings }: Workbench): Content => ({
  parts,
  cues,
  grid,
  export: settings,
})

const explain = (error: unknown): SaveState =>
  error instanceof ApiError && error.status === 409
    ? { kind: 'conflict' }
    : { kind: 'failed', reason: describeError(error) }

/** Bytes of requests that a browser still sends when the page is gone: 64 KiB, of which two may be under way. */
const mostOnLeaving = 30_000

/** Returns true for a change that is sent to its end when the page is left meanwhile. */
const outlivesPage = (body: WorkbenchChange): boolean =>
  new TextEncoder().encode(JSON.stringify(body)).length <= mostOnLeaving

/** Returns true when changes would be lost with the page: they were refused, or are too many to be sent while it goes. */
function wouldLose(saver: SessionSaver): boolean {
  const content = saver.unsaved()
  if (content === undefined) return false
  const { kind } = saver.state()
  return kind === 'conflict' || kind === 'failed' || !outlivesPage({ revision: 0, ...content })
}

/** The session of a job: what is in it, how it changes, and how it is saved. */
export type WorkbenchSession = ReturnType<typeof useSession>

/** Keeps a session, and saves every change of it by itself. */
export function useSession(jobId: string, loaded: Workbench, duration: number) {
  const cache = useQueryClient()
  const [session, dispatch] = useReducer(reduce, undefined, () => openSession(contentOf(loaded), duration))
  const [saver, setSaver] = useState(() => createSaver(loaded.revision))
  const { content } = session
  const known = useRef(content)
  function createSaver(revision: number): SessionSaver {
    return new SessionSaver(revision, {
      explain,
      async save(body) {
        const keepalive = outlivesPage(body)
        const saved = await answer(api.PUT('/api/jobs/{job_id}/workbench', { ...ofJob(jobId), body, keepalive }))
        cache.setQueryData(keys.workbench(jobId), saved)
        return saved
      },
    })
  }
  useEffect(() => {
    if (known.current === content) return
    known.current = content
    saver.note(content)
  }, [saver, content])
  useEffect(() => {
    const flush = () => void saver.flush()
    const onHide = () => document.visibilityState === 'hidden' && flush()
    const onLeave = () => saver.leave()
    // The browser asks whether to leave.
    const onBeforeLeave = (event: BeforeUnloadEvent) => wouldLose(saver) && event.preventDefault()
    document.addEventListener('visibilitychange', onHide)
    window.addEventListener('pagehide', onLeave)
    window.addEventListener('beforeunload', onBeforeLeave)
    return () => {
      document.removeEventListener('visibilitychange', onHide)
      window.removeEventListener('pagehide', onLeave)
      window.removeEventListener('beforeunload', onBeforeLeave)
      flush()
    }
  }, [saver])
  const state = useSyncExternalStore(saver.subscribe, saver.state)
  return {
    content,
    dispatch,
    canUndo: session.past.length > 0,
    canRedo: session.future.length > 0,
    saving: state,
    retry: () => void saver.flush(),
    /** Takes what was saved elsewhere in place of what is here. */
    takeTheirs: async (): Promise<void> => {
      const theirs = await readWorkbench(jobId)
      known.current = contentOf(theirs)
      dispatch({ type: 'load', content: known.current })
      setSaver(createSaver(theirs.revision))
    },
    /** Saves what is here in place of what was saved elsewhere. */
    keepMine: async (): Promise<void> => {
      await saver.overwrite((await readWorkbench(jobId)).revision, content)
    },
  }
}
