import type { ApiDescription } from '@hearth/http'
import { isForSessions, sessionCookie } from './access.ts'
import { ErrorBody } from './envelope.ts'
import { version } from './version.ts'

export { version }

/** Description of the service and its sign-in methods in the API document. */
export const about: ApiDescription = {
  title: 'Hearth VPN',
  version,
  description:
    'WireGuard interfaces and peers, users, API tokens and settings. A read takes from a budget of 100 a minute and a write from one of 30, for each user; without valid credentials 10 and 5, for each address.',
  errorBody: ErrorBody,
  securitySchemes: {
    token: {
      type: 'http',
      scheme: 'bearer',
      description: 'An API token. `?token=` works too, but ends up in access logs of proxies.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'Set by POST /api/session. Writes need the header X-CSRF-Token.',
    },
    csrf: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token', description: 'Given by GET /api/session' },
  },
  security: (access) => {
    if (access === 'public') return []
    return isForSessions(access) ? [{ session: [] }] : [{ token: [] }, { session: [] }]
  },
  tags: [
    { name: 'General', description: 'The service itself' },
    { name: 'Session', description: 'Signing in with a browser' },
    { name: 'API tokens', description: 'Credentials for programs' },
    { name: 'Interfaces', description: 'WireGuard interfaces of this host' },
    { name: 'Peers', description: 'Devices that connect' },
    { name: 'Access', description: 'Groups of peers, and rules about what they reach' },
    { name: 'Set-up links', description: 'Configurations for people who are not signed in, once each' },
    { name: 'DNS', description: 'Filtering of names: settings, rules, lists, the query log' },
    { name: 'Nodes', description: 'Hosts that run tunnels for this service' },
    { name: 'Metrics', description: 'Figures' },
    { name: 'Hints', description: 'What looks unusual, with its evidence' },
    { name: 'Users', description: 'Accounts' },
    { name: 'Security log', description: 'Sign-ins, refusals, and changes of access' },
    { name: 'Settings', description: 'Defaults and limits' },
    { name: 'Notifications', description: 'Who is told when something goes wrong' },
    { name: 'Events', description: 'Live updates' },
  ],
}
