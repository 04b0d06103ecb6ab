import { Group, Text } from '@mantine/core'
import { answer, CopyButton, QueryState, RelativeTime, Section, useAction } from '@hearth/ui'
import { IconLink } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { api, keys, ofJob, type Job, type ShareLink } from '../api.ts'
import { toIsoString } from '../jobs/job.ts'
import { FactsLine } from '../jobs/job-facts.tsx'
import { Waiting } from '../progress/waiting.tsx'

/** Links by which others get the file without signing in. */
export function ShareCard({ job }: { job: Job }) {
  const path = ofJob(job.id)
  const links = useQuery({
    queryKey: keys.shares(job.id),
    queryFn: () => answer(api.GET('/api/share/{job_id}', path)),
  })
  const create = useAction<void, ShareLink>({
    run: () => answer(api.POST('/api/share/{job_id}', path)),
    done: () => 'The link is ready to be copied',
    renew: [keys.shares(job.id)],
  })
  return (
    <Section
      title="Share"
      actions={
        (links.data?.length ?? 0) > 0 && (
          <DeleteButton
            size="xs"
            title="Revoke the link?"
            losses={['It no longer gives access to the file', 'A new link has a different address']}
            verb="Revoke link"
            action={{
              run: () => answer(api.DELETE('/api/share/{job_id}', path)),
              done: () => 'The link is revoked',
              renew: [keys.shares(job.id)],
            }}
          >
            Revoke
          </DeleteButton>
        )
      }
    >
      <QueryState query={links} lines={1} />
      {links.data?.map((link) => (
        <LinkLine key={link.url} link={link} />
      ))}
      {links.data?.length === 0 && (
        <>
          <Text size="sm" c="dimmed" mb="sm">
            Whoever has the link gets the file, without signing in. How often and how long is set under{' '}
            <Link className="hearth-link" href="/settings?tab=access">
              Settings
            </Link>
            .
          </Text>
          <ActionButton icon={IconLink} loading={create.isPending} onClick={() => create.mutate()}>
            Create link
          </ActionButton>
          {create.isPending && <Waiting label="Making the file ready to be sent" />}
        </>
      )}
    </Section>
  )
}

function LinkLine({ link }: { link: ShareLink }) {
  return (
    <div className="share-link">
      <code className="hearth-mono">{link.url}</code>
      <Group gap="sm" justify="space-between">
        <FactsLine>
          {link.max_uses === 0 ? `Used ${link.uses}×` : `Used ${link.uses} of ${link.max_uses}×`}
          {link.expires_at === null ? (
            'No expiry'
          ) : (
            <>
              Ends <RelativeTime value={toIsoString(link.expires_at)} />
            </>
          )}
        </FactsLine>
        <CopyButton text={link.url}>Copy link</CopyButton>
      </Group>
    </div>
  )
}
