import './vpn.css'
import './dns/dns.css'
import { followEvents, hearthServices, signInScreenOf, startHearthApp } from '@hearth/ui'
import { readNeighbours, session, signInMethods } from './api.ts'
import { applyEvent, type ServiceEvent } from './live-cache.ts'
import { openPages, pages } from './pages.ts'

startHearthApp<ServiceEvent>({
  service: {
    ...hearthServices.vpn,
    openIdPath: '/api/openid',
    signInHint: 'First time here? The user is “admin”; the password was printed when the service first started.',
    signInScreen: signInScreenOf(signInMethods, {
      replacesPassword: true,
      opens: '/profile',
      done: 'That code is used up.',
    }),
  },
  session,
  pages,
  openPages,
  neighbours: readNeighbours,
  events: { url: '/api/events', onEvent: followEvents(applyEvent) },
})
