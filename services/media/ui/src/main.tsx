import './media.css'
import { accentFrom, startHearthApp } from '@hearth/ui'
import { IconMusicDown } from '@tabler/icons-react'
import { readJob, session } from './api.ts'
import { followJobs, type LiveMessage } from './live/live-cache.ts'
import { pages } from './pages.ts'
import { Honeypot } from './session/honeypot.tsx'

startHearthApp<LiveMessage>({
  service: {
    name: 'Media',
    icon: IconMusicDown,
    accent: accentFrom(305),
    signInHint: 'Forgotten? On the server, “hearth media reset-admin-password” sets a new password.',
    signInFields: <Honeypot />,
  },
  session,
  pages,
  events: {
    url: '/events',
    onEvent: followJobs({ readJob: (id) => readJob(id), onSessionChange: () => void session.check() }),
  },
})
