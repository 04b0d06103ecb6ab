import { useCallback, useState } from 'react'
import type { Job } from '../api.ts'

/** Downloads that are chosen in the list. */
export interface Selection {
  /** Ids in the order they were chosen; undefined while nothing is being selected. */
  readonly ids: ReadonlySet<string> | undefined
  readonly start: () => void
  readonly end: () => void
  readonly toggle: (job: Pick<Job, 'id'>) => void
}

/** The selection of the list, which begins with nothing. */
export function useSelection(): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>()
  const toggle = useCallback(({ id }: Pick<Job, 'id'>) => {
    setIds((known = new Set()) =>
      known.has(id) ? new Set([...known].filter((one) => one !== id)) : new Set([...known, id]),
    )
  }, [])
  return { ids, start: () => setIds((known) => known ?? new Set()), end: () => setIds(undefined), toggle }
}
