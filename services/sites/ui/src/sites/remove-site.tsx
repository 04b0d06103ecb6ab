import { answer, ConfirmDelete, formatCount } from '@hearth/ui'
import { api, keys } from '../api.ts'
import { saveMessage, withMore } from './site-words.ts'
import type { Site } from './site.ts'

/** Confirms the removal of a site; lists what is lost with it. */
export function RemoveSite(props: { site: Site; onClose: () => void; onRemoved?: () => void }) {
  const { site, onClose, onRemoved } = props
  return (
    <ConfirmDelete
      opened
      onClose={onClose}
      title={`Remove ${site.site_name}?`}
      verb="Remove site"
      losses={lossesOf(site)}
      action={{
        run: () =>
          answer(
            api.DELETE('/api/sites/{id}', {
              params: { path: { id: site.id } },
              headers: { 'if-match': `"${site.revision}"` },
            }),
          ),
        done: (result) => saveMessage(result, `${site.site_name} is removed`),
        renew: [keys.sites, keys.revisions, keys.status],
        ...(onRemoved === undefined ? {} : { onDone: onRemoved }),
      }}
    />
  )
}

function lossesOf(site: Site): string[] {
  const members = [
    [site.paths.length, 'path', 'paths'],
    [site.redirects.length, 'redirect', 'redirects'],
    [site.basic_auth.length, 'user with a password', 'users with passwords'],
    [site.request_headers.length + site.response_headers.length, 'header', 'headers'],
  ] as const
  const kept = members.flatMap(([count, one, many]) => (count === 0 ? [] : [formatCount(count, one, many)]))
  return [
    `${withMore(site.domains)} will answer as a host nobody knows`,
    kept.length === 0 ? 'All that is set for the site' : `All that is set for the site, among it ${kept.join(', ')}`,
    'Open connections of its visitors',
  ]
}
