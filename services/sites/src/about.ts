import { readFileSync } from 'node:fs'
import { tokenScheme, tokenTag } from '@hearth/accounts'
import type { ApiDescription } from '@hearth/http'
import { takesToken } from './access.ts'
import { ErrorBody } from './problems.ts'

/** The version of the service, from its package. */
export const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version

const forPeople = 'There is no key and no token: whoever calls signs in and keeps a cookie.'
const forPrograms =
  'Whoever calls signs in and keeps a cookie; a program may send an API token instead, with the setting API_TOKENS=on.'
const rules =
  'Every request but reads carries the token of GET /api/v1/csrf as the header X-CSRF-Token, signing in included. Every route has budgets of its own for each client address. Access `recent-session` and `recent-admin` need a proof of who is calling that is no older than five minutes, see POST /api/session/reauthenticate.'

/** Description of the service and its sign-in for the API document, with API tokens and without. */
export const aboutFor = ({ hasApiTokens }: { hasApiTokens: boolean }): ApiDescription => ({
  title: 'Hearth Sites',
  version,
  description: `Manages the sites of a Caddy reverse proxy. ${hasApiTokens ? forPrograms : forPeople} ${rules}`,
  errorBody: ErrorBody,
  securitySchemes: {
    ...(hasApiTokens && tokenScheme),
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'hearth_sites_session',
      description: 'Set by GET /api/v1/csrf and anew by every way to sign in; its name begins with __Host- at https.',
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'Given by GET /api/v1/csrf; signing in needs it too',
    },
  },
  security(access) {
    if (access === 'always' || access === 'public') return []
    return hasApiTokens && takesToken(access) ? [{ token: [] }, { session: [] }] : [{ session: [] }]
  },
  groupOf: (path) => {
    if (path.startsWith('/api/v1/')) return 'system'
    return /^\/api\/(?:sites|caddy|revisions|nodes|certificates)(?:\/|$)/.test(path) ? 'proxy server' : undefined
  },
  tags: [
    { name: 'system', description: 'Everything under /api/v1: health, build, figures, certificates, traffic, events' },
    { name: 'proxy server', description: 'Sites and the Caddy servers that serve them' },
    { name: 'General', description: 'The service itself' },
    { name: 'Session', description: 'Setting up, signing in and out' },
    { name: 'Passkeys', description: 'Signing in without a password' },
    ...(hasApiTokens ? [tokenTag] : []),
    { name: 'Users', description: 'Accounts' },
    { name: 'Portal', description: 'Who may visit protected sites' },
    { name: 'Applications', description: 'Applications that sign people in through the portal, by OpenID Connect' },
    { name: 'Security log', description: 'Sign-ins, refusals, and changes of access' },
    { name: 'Settings', description: 'How the service works' },
    { name: 'Certificates', description: 'What hosts show, how good it is, and what was uploaded' },
    { name: 'Traffic', description: 'What the sites are asked' },
    { name: 'Uptime', description: 'Which sites are up, their incidents, and planned maintenance' },
    { name: 'Status pages', description: 'Pages that show the state of chosen sites to others' },
    { name: 'Notifications', description: 'Who is told when something goes wrong' },
    { name: 'Events', description: 'Live updates' },
    { name: 'Overview', description: 'The figures of the first page' },
    { name: 'Sites', description: 'What is served under which names' },
    { name: 'Caddy', description: 'What Caddy runs: taking it over, applying, revisions, drift, imports' },
    { name: 'Servers', description: 'The Caddy servers' },
  ],
})

/** The description of everything there is: with API tokens. */
export const about = aboutFor({ hasApiTokens: true })
