import type { Route } from '@hearth/http'
import { route } from '../access.ts'
import type { OnboardingKeeper } from './onboarding.ts'
import { CaddyStatus, Onboarding, OnboardRequest, OnboardResult } from './schema.ts'

/** How it stands between the service and its Caddy. */
export interface OnboardingRoutesParts {
  readonly onboarding: OnboardingKeeper
  readonly status: () => Promise<CaddyStatus>
}

/** Taking over a Caddy. */
export function onboardingRoutes({ onboarding, status }: OnboardingRoutesParts): Route[] {
  const shared = { tag: 'Caddy', access: 'admin' } as const
  return [
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/caddy/status',
        summary: 'Whether Caddy is managed, and runs what it should',
        limit: '30/min',
        success: { status: 200, body: CaddyStatus },
      },
      () => status(),
    ),
    route(
      {
        ...shared,
        method: 'GET',
        path: '/api/caddy/onboarding',
        summary: 'What is still to be done, and what Caddy serves now',
        limit: '30/min',
        success: { status: 200, body: Onboarding },
      },
      () => onboarding.state(),
    ),
    route(
      {
        ...shared,
        method: 'POST',
        path: '/api/caddy/onboard',
        summary: 'Take over Caddy',
        description:
          'A Caddy that serves something already is imported or replaced, as asked; without that it stays as it is (409).',
        limit: '5/min',
        body: OnboardRequest.optional(),
        success: { status: 200, body: OnboardResult },
        errors: [400, 409, 503],
      },
      ({ body, caller }) => onboarding.onboard(body ?? {}, caller.username),
    ),
  ]
}
