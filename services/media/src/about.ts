import { tokenScheme, tokenTag } from '@hearth/accounts'
import type { ApiDescription } from '@hearth/http'
import { sessionCookie, takesToken } from './access.ts'
import { ErrorBody } from './problems.ts'
import { version } from './version.ts'

const rules =
  'Downloads from four video platforms, tempo analysis, trims, stems and share links. Every route has its own budget for each client address. Writes carry the value of the cookie `hearth_media_csrf` as the header X-CSRF-Token, or as the field `csrf_token` of a form.'
const forPrograms =
  'A program may send an API token instead of signing in, with the setting API_TOKENS=on; then it needs no CSRF token.'

/** Title, description and security schemes of the API document, with API tokens and without. */
export const aboutFor = ({ hasApiTokens }: { hasApiTokens: boolean }): ApiDescription => ({
  title: 'Hearth Media',
  version,
  description: hasApiTokens ? `${rules} ${forPrograms}` : rules,
  errorBody: ErrorBody,
  invalidBody: 400,
  securitySchemes: {
    ...(hasApiTokens && tokenScheme),
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
  security(access) {
    if (access === 'public' || access === 'visitor') return []
    return hasApiTokens && takesToken(access) ? [{ token: [] }, { session: [] }] : [{ session: [] }]
  },
  alsoOf: (access) => (access === 'page' ? [303] : []),
  tags: [
    { name: 'General', description: 'The service itself' },
    { name: 'Pages', description: 'The web application' },
    { name: 'Sign-in', description: 'The one account' },
    ...(hasApiTokens ? [tokenTag] : []),
    { name: 'Jobs', description: 'Downloads' },
    { name: 'Lists', description: 'Playlists and channels, many downloads at once, and lists that are followed' },
    { name: 'Library', description: 'Finished downloads: search, tags and collections' },
    { name: 'Events', description: 'Live updates' },
    { name: 'Files', description: 'Files of a job' },
    { name: 'Thumbnails', description: 'Thumbnails of media' },
    { name: 'Trims', description: 'Parts cut from audio' },
    { name: 'Workbench', description: 'Parts, cue points and loops of a sound, and files of them' },
    { name: 'Stems', description: 'Vocals and accompaniment' },
    { name: 'Shares', description: 'Links for others' },
    { name: 'Feeds', description: 'Finished sounds for podcast apps' },
    {
      name: 'Platforms',
      description: 'How downloads from each platform go, and pauses of platforms that refuse this server',
    },
    { name: 'Cookies', description: 'Cookies of accounts at the platforms' },
    { name: 'Settings', description: 'Settings of the service' },
    { name: 'Notifications', description: 'Who is told when something goes wrong' },
    { name: 'Storage', description: 'What stored files take, and what goes to make room' },
    { name: 'Statistics', description: 'Figures' },
    { name: 'System', description: 'The host and the tools' },
  ],
})

/** The description of everything there is: with API tokens. */
export const about = aboutFor({ hasApiTokens: true })
