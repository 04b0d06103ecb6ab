import type { ReadyChecks } from './problems.ts'

/** Whether the service can do its work. Never throws; what cannot be found out is false. */
export interface Readiness {
  check(): Promise<ReadyChecks>
}

/** Until there is a node to look at: not ready. */
export const notReady: Readiness = {
  check: () => Promise.resolve({ runtime: true, onboarding: false, admin_api: false }),
}

/** What is said when the service is not ready: of several reasons the first, in words that tell a stranger nothing. */
export function reasonNotReady({ runtime, onboarding }: ReadyChecks): string {
  if (!runtime) return 'The service is not ready'
  return onboarding ? 'Admin API unavailable' : 'Onboarding is required'
}
