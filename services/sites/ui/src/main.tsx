import './sites.css'
import { accentFrom, followEvents, startHearthApp } from '@hearth/ui'
import { IconWorld } from '@tabler/icons-react'
import { session } from './api.ts'
import { applyEvent, type SiteEvent } from './live/live-cache.ts'
import { pages } from './pages.ts'
import { ConfirmIdentity } from './session/confirm-identity.tsx'
import { SignedOut } from './sign-in/signed-out.tsx'

startHearthApp<SiteEvent>({
  service: {
    name: 'Sites',
    icon: IconWorld,
    accent: accentFrom(218),
    signInHint: 'Locked out? On the server, “hearth sites reset-admin-password” sets a new password.',
    signInScreen: SignedOut,
  },
  session,
  pages,
  events: { url: '/api/v1/events', resumes: true, onEvent: followEvents(applyEvent) },
  aside: <ConfirmIdentity />,
})
