import './media.css'
import { hearthServices, signInScreenOf, startHearthApp } from '@hearth/ui'
import { readNeighbours, session, signInMethods } from './api.ts'
import { followJobs, type LiveMessage } from './live/live-cache.ts'
import { pages } from './pages.ts'

startHearthApp<LiveMessage>({
  service: {
    ...hearthServices.media,
    openIdPath: '/api/openid',
    signInHint: 'Forgotten? On the server, “hearth media reset-admin-password” sets a new password.',
    signInFields: <Honeypot />,
    signInScreen: signInScreenOf(signInMethods, {
      replacesPassword: false,
      opens: '/settings?tab=access',
      done: 'That code is used up. If the password is lost, choose another one here.',
    }),
  },
  session,
  pages,
  neighbours: readNeighbours,
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
