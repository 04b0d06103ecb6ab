import { Modal, Text } from '@mantine/core'
import { answer, QueryState, RelativeTime } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { api, keys, type Share } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'

/** Who fetched what by a link, and when. */
export function FetchLog({ share, onClose }: { share: Share; onClose: () => void }) {
  const fetches = useQuery({
    queryKey: keys.fetches(share.id),
    queryFn: () => answer(api.GET('/api/shares/{id}/fetches', { params: { path: { id: share.id } } })),
  })
  const hasSeveral = share.files.length > 1
  return (
    <Modal opened onClose={onClose} title="Fetched by this link">
      <Text size="sm" c="dimmed" mb="sm">
        The newest 1,000 of the last 90 days. Addresses are shortened to the network they belong to; a client counts
        once an hour.
      </Text>
      <QueryState query={fetches} lines={3} />
      {fetches.data?.length === 0 && <Text size="sm">Nobody fetched anything yet.</Text>}
      <ul className="share-fetches">
        {fetches.data?.map(({ id, fetched_at, network, title }) => (
          <li key={id}>
            <RelativeTime value={toIsoString(fetched_at)} />
            <span className="hearth-mono">{network}</span>
            {hasSeveral && <span className="share-fetched-file">{title ?? 'A file'}</span>}
          </li>
        ))}
      </ul>
    </Modal>
  )
}
