import { invalidField } from '../problems.ts'
import { createDeviceView, type DeviceViewDependencies } from './device-view.ts'
import type { AnswerPage } from './page-listeners.ts'
import { createPageServer, type PageServerDependencies } from './page-server.ts'
import { SelfPause, type SelfPauseDependencies } from './self-pause.ts'
import type { NameRequests } from '../name-requests/name-requests.ts'

/** Dependencies of `openPage`. */
export interface PageDependencies
  extends Omit<PageServerDependencies, 'view' | 'actions'>, Omit<DeviceViewDependencies, 'selfPause' | 'requests'> {
  readonly settings: SelfPauseDependencies['settings']
  readonly requests: Pick<NameRequests, 'ofPeer' | 'ask'>
}

/** Puts together what answers the requests of the page. */
export function openPage(dependencies: PageDependencies): AnswerPage {
  const { filtering, requests } = dependencies
  const selfPause = new SelfPause(dependencies)
  return createPageServer({
    ...dependencies,
    view: createDeviceView({ ...dependencies, selfPause }),
    actions: {
      async '/ask'(peer, form) {
        await requests.ask({ peer, domain: form.get('domain') ?? '', note: form.get('note') ?? '' })
        return 'asked'
      },
      async '/pause'(peer, form) {
        const minutes = Number(form.get('minutes'))
        if (!Number.isSafeInteger(minutes) || minutes < 1) throw invalidField('minutes', 'Choose how long')
        await selfPause.pause(peer.id, minutes)
        return 'paused'
      },
      async '/resume'(peer) {
        await filtering.pauses.resume(peer.id)
        return 'resumed'
      },
    },
  })
}
