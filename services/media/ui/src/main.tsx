import './media.css'
import { accentFrom, startHearthApp } from '@hearth/ui'
import { IconMusicDown } from '@tabler/icons-react'
import { session } from './api.ts'
import { followJobs, type LiveMessage } from './live/live-cache.ts'
import { pages } from './pages.ts'

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
    onEvent: followJobs(),
  },
})

/** A field people do not see and robots fill in; what is in it gives them away. */
function Honeypot() {
  return (
    <div className="honeypot" aria-hidden>
      <label>
        Website
        <input type="text" name="website" tabIndex={-1} autoComplete="off" />
      </label>
    </div>
  )
}
