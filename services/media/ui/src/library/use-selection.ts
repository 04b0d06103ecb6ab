import { useCallback, useMemo, useState } from 'react'
import type { Job } from '../api.ts'

interface Selection {
  readonly ids: ReadonlySet<string>
  /** The item that was chosen or dropped last. */
  readonly last: string | undefined
}

const nothing: Selection = { ids: new Set(), last: undefined }

/** The chosen items among those that are shown. */
export function useSelection(items: readonly Job[]) {
  const [{ ids }, set] = useState(nothing)
  const order = items.map(({ id }) => id).join()
  const choose = useCallback(
    (id: string, isRange: boolean) => set((present) => withChoice(present, { id, isRange, order: order.split(',') })),
    [order],
  )
  // In the order they were chosen.
  const chosen = useMemo(() => {
    const shown = new Map(items.map((job) => [job.id, job]))
    return [...ids].flatMap((id) => shown.get(id) ?? [])
  }, [items, ids])
  return {
    ids,
    chosen,
    /** Chooses an item or drops it; a range goes from the one before to this one. */
    choose,
    chooseAll: () => set({ ids: new Set(items.map(({ id }) => id)), last: undefined }),
    clear: () => set(nothing),
  }
}

/** The selection after a click on an item. */
export function withChoice(
  { ids, last }: Selection,
  { id, isRange, order }: { id: string; isRange: boolean; order: readonly string[] },
): Selection {
  const next = new Set(ids)
  const [from = -1, to = -1] = [order.indexOf(last ?? ''), order.indexOf(id)].toSorted((one, other) => one - other)
  if (isRange && from >= 0) for (const each of order.slice(from, to + 1)) next.add(each)
  else if (!next.delete(id)) next.add(id)
  return { ids: next, last: id }
}
