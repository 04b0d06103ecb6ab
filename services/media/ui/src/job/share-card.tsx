import { Group, Text } from '@mantine/core'
import { answer, QueryState, Section, useAction } from '@hearth/ui'
import { IconAdjustments, IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { ActionButton } from '../buttons.tsx'
import { api, keys, ofJob, type Job, type ShareLink } from '../api.ts'
import { Waiting } from '../progress/waiting.tsx'
import { NewShare } from '../shares/share-form.tsx'
import { ShareLine } from '../shares/share-line.tsx'
import { nameOfShare } from '../shares/share-values.ts'

/** Links by which others get the file without signing in. */
export function ShareCard({ job }: { job: Job }) {
  const [isChoosing, setChoosing] = useState(false)
  const shares = useQuery({
    queryKey: keys.shares(job.id),
    queryFn: () => answer(api.GET('/api/shares', { params: { query: { job_id: job.id, limit: 100 } } })),
  })
  const create = useAction<void, ShareLink>({
    run: () => answer(api.POST('/api/share/{job_id}', ofJob(job.id))),
    done: () => 'The link is ready to be copied',
    renew: [keys.allShares],
  })
  const isActive = shares.data?.some(({ state }) => state === 'active') === true
  return (
    <Section title="Share">
      <QueryState query={shares} lines={1} />
      {shares.data !== undefined && shares.data.length > 0 && (
        <ul className="share-lines" aria-label="Links to this file">
          {shares.data.map((share) => (
            <li key={share.id}>
              {(share.name !== null || share.files.length > 1) && <h3 className="share-head">{nameOfShare(share)}</h3>}
              <ShareLine share={share} />
            </li>
          ))}
        </ul>
      )}
      {shares.data?.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Whoever has the link gets the file, without signing in. How often and how long is set under{' '}
          <Link className="hearth-link" href="/settings?tab=access">
            Settings
          </Link>
          , or for each link.
        </Text>
      )}
      {shares.data !== undefined && (
        <Group gap="xs">
          {!isActive && (
            <ActionButton icon={IconLink} loading={create.isPending} onClick={() => create.mutate()}>
              Create link
            </ActionButton>
          )}
          <ActionButton icon={IconAdjustments} variant="subtle" onClick={() => setChoosing(true)}>
            {isActive ? 'Another link' : 'With password or end'}
          </ActionButton>
        </Group>
      )}
      {create.isPending && <Waiting label="Making the file ready to be sent" />}
      {isChoosing && <NewShare jobIds={[job.id]} onClose={() => setChoosing(false)} />}
    </Section>
  )
}
