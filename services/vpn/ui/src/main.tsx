import './vpn.css'
import './dns/dns.css'
import { accentFrom, followEvents, startHearthApp } from '@hearth/ui'
import { IconShieldLock } from '@tabler/icons-react'
import { session } from './api.ts'
import { applyEvent, type ServiceEvent } from './live-cache.ts'
import { pages } from './pages.ts'

startHearthApp<ServiceEvent>({
  service: {
    name: 'VPN',
    icon: IconShieldLock,
    accent: accentFrom(42),
    signInHint: 'First time here? The user is “admin”; the password was printed when the service first started.',
  },
  session,
  pages,
  events: { url: '/api/events', onEvent: followEvents(applyEvent) },
})
