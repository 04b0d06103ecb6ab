import './inverter.css'
import { accentFrom, followEvents, startHearthApp } from '@hearth/ui'
import { IconSolarPanel2 } from '@tabler/icons-react'
import { session } from './api.ts'
import { applyEvent, type GatewayEvent } from './live-cache.ts'
import { pages } from './pages.ts'

startHearthApp<GatewayEvent>({
  service: {
    name: 'Inverter',
    icon: IconSolarPanel2,
    accent: accentFrom(82),
    signInHint: 'First time here? The user is “admin”; the password was printed when the service first started.',
  },
  session,
  pages,
  events: { url: '/api/v1/stream', onEvent: followEvents(applyEvent) },
})
