import './inverter.css'
import { followEvents, hearthServices, signInScreenOf, startHearthApp } from '@hearth/ui'
import { readNeighbours, session, signInMethods } from './api.ts'
import { applyEvent, type GatewayEvent } from './live-cache.ts'
import { pages } from './pages.ts'

startHearthApp<GatewayEvent>({
  service: {
    ...hearthServices.inverter,
    openIdPath: '/admin/api/openid',
    signInHint: 'First time here? The user is “admin”; the password was printed when the service first started.',
    signInScreen: signInScreenOf(signInMethods, {
      replacesPassword: true,
      opens: '/settings',
      done: 'That code is used up.',
    }),
  },
  session,
  pages,
  neighbours: readNeighbours,
  events: { url: '/api/v1/stream', onEvent: followEvents(applyEvent) },
})
