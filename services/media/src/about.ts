import type { ApiDescription } from '@hearth/http'
import { sessionCookie } from './access.ts'
import { ErrorBody } from './problems.ts'
import { version } from './version.ts'

/** Title, description and security schemes of the API document. */
export const about: ApiDescription = {
  title: 'Hearth Media',
  version,
  description:
    'Downloads from four video platforms, tempo analysis, trims, stems and share links. Every route has its own budget for each client address. Writes carry the value of the cookie `hearth_media_csrf` as the header X-CSRF-Token, or as the field `csrf_token` of a form.',
  errorBody: ErrorBody,
  invalidBody: 400,
  securitySchemes: {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'Set by POST /login. Not needed while sign-in is off.',
    },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'The value of the cookie hearth_media_csrf; a form may carry it as csrf_token instead',
    },
  },
  security: (access) => (access === 'public' ? [] : [{ session: [] }]),
  alsoOf: (access) => (access === 'page' ? [303] : []),
  tags: [
    { name: 'General', description: 'The service itself' },
    { name: 'Pages', description: 'The web application' },
    { name: 'Sign-in', description: 'The one account' },
    { name: 'Jobs', description: 'Downloads' },
    { name: 'Events', description: 'Live updates' },
    { name: 'Files', description: 'Files of a job' },
    { name: 'Thumbnails', description: 'Thumbnails of media' },
    { name: 'Trims', description: 'Parts cut from audio' },
    { name: 'Stems', description: 'Vocals and accompaniment' },
    { name: 'Shares', description: 'Links for others' },
    { name: 'Cookies', description: 'Cookies of accounts at the platforms' },
    { name: 'Settings', description: 'Settings of the service' },
    { name: 'Notifications', description: 'Who is told when something goes wrong' },
    { name: 'Statistics', description: 'Figures' },
    { name: 'System', description: 'The host and the tools' },
  ],
}
