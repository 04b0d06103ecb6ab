import { answer, useAction } from '@hearth/ui'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api, type DashboardLayout, keys } from '../api.ts'
import type { Placed } from './grid-placement.ts'

/** The saved arrangement; `null` while the page arranges itself. */
export function useLayout() {
  return useQuery({
    queryKey: keys.layout,
    queryFn: async () => (await answer(api.GET('/admin/api/dashboard-layout'))).layout,
  })
}

/** Saves an arrangement. */
export function useSaveLayout(onDone: () => void) {
  const cache = useQueryClient()
  return useAction<Placed[], { layout: DashboardLayout | null }>({
    run: (widgets) => answer(api.PUT('/admin/api/dashboard-layout', { body: { version: 1, widgets } })),
    done: () => 'Dashboard saved',
    onDone: ({ layout }) => {
      cache.setQueryData(keys.layout, layout)
      onDone()
    },
  })
}

/** Forgets the saved arrangement. */
export const resetLayout = () => answer(api.DELETE('/admin/api/dashboard-layout'))
