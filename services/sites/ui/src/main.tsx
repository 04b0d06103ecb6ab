import './sites.css'
import {
  type EventEffects,
  followEvents,
  hearthServices,
  PasskeySignInScreen,
  type Service,
  startHearthApp,
} from '@hearth/ui'
import { openIdPath, passkeySignIn, readNeighbours, session, ways } from './api.ts'
import { pages } from './pages.ts'
import { ConfirmIdentity } from './session/confirm-identity.tsx'
import type { components } from './api.gen.ts'
import { lazy } from 'react'

/** Loaded when it is needed: once for every service. */
const SetUpScreen = lazy(async () => ({ default: (await import('./sign-in/set-up-screen.tsx')).SetUpScreen }))

/** The page for visitors who are not signed in: the set-up while there is no administrator, then the sign-in. */
function SignedOut(props: { service: Service; ended: boolean }) {
  if (ways.isSetUpNeeded()) return <SetUpScreen service={props.service} />
  return <PasskeySignInScreen {...props} passkeys={passkeySignIn} />
}

/** One event of `/api/v1/events`. */
type SiteEvent = components['schemas']['SiteEvent']

/** Cached answers that an event makes stale, by the first word of their names in `keys`. */
const stale: Readonly<Record<Exclude<SiteEvent['type'], 'reset'>, readonly string[]>> = {
  site: ['sites', 'certificates', 'status', 'uptime'],
  apply: ['sites', 'revisions', 'nodes', 'status', 'onboarding', 'traffic'],
  node: ['nodes', 'status', 'onboarding'],
  certificate: ['certificates', 'status'],
  order: ['orders'],
  grade: ['certificates', 'sites', 'status'],
  drift: ['nodes', 'status', 'revisions'],
  onboarding: ['onboarding', 'nodes', 'sites', 'status'],
  settings: ['settings', 'status', 'vpn-link'],
  traffic: ['traffic', 'status'],
  uptime: ['uptime'],
}

/** Reads again what an event made stale: everything after `reset`, because events were missed. */
function applyEvent({ type }: SiteEvent, { cache, refresher }: EventEffects): void {
  if (type === 'reset') void cache.invalidateQueries()
  else for (const name of stale[type]) refresher.note(name)
}

startHearthApp<SiteEvent>({
  service: {
    ...hearthServices.sites,
    openIdPath,
    signInHint: 'Locked out? On the server, “hearth sites reset-admin-password” sets a new password.',
    signInScreen: SignedOut,
  },
  session,
  pages,
  neighbours: readNeighbours,
  events: { url: '/api/v1/events', resumes: true, onEvent: followEvents(applyEvent) },
  aside: <ConfirmIdentity />,
})
