import { answer, ApiError, notifyDone } from '@hearth/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, keys, type OnboardRequest, type OnboardResult } from '../api.ts'

/** Takes Caddy over; `onDone` receives the result. A refusal that only requires a decision is no failure. */
export function useOnboard(onDone: (result: OnboardResult) => void) {
  const cache = useQueryClient()
  const renew = () => {
    for (const queryKey of [keys.onboarding, keys.nodes, keys.sites, keys.settings, keys.status])
      void cache.invalidateQueries({ queryKey })
  }
  return useMutation({
    mutationFn: (body: OnboardRequest) => answer(api.POST('/api/caddy/onboard', { body })),
    onSuccess: (result) => {
      notifyDone('Caddy is managed now')
      onDone(result)
      renew()
    },
    onError: renew,
  })
}

/** Returns true when Caddy answered and waits for a decision. */
export function isDecisionWanted(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'mode_required' || error.kind === 'confirmation_required')
}
