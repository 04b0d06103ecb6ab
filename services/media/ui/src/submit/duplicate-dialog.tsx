import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { RelativeTime } from '@hearth/ui'
import { IconDownload, IconExternalLink } from '@tabler/icons-react'
import { Link } from 'wouter'
import { ActionButton } from '../buttons.tsx'
import type { Job } from '../api.ts'
import { toIsoString, titleOf } from '../jobs/job.ts'
import { kindOf } from '../jobs/job-labels.ts'
import { FactsLine, JobStatusBadge } from '../jobs/job-facts.tsx'
import { Thumbnail } from '../jobs/thumbnail.tsx'

/** Dialog for a duplicate: open the job, or download once more. */
export function DuplicateDialog(props: { job: Job | undefined; onClose: () => void; onAgain: () => void }) {
  const { job, onClose, onAgain } = props
  return (
    <Modal opened={job !== undefined} onClose={onClose} title="Already downloaded">
      {job !== undefined && (
        <Stack>
          <div className="preview">
            <Thumbnail job={job} />
            <div className="preview-words">
              <Text fw={600} lineClamp={2}>
                {titleOf(job)}
              </Text>
              <FactsLine>
                {kindOf(job)}
                <RelativeTime value={toIsoString(job.created_at)} />
              </FactsLine>
              <JobStatusBadge job={job} />
            </div>
          </div>
          <Text size="sm" c="dimmed">
            A second download shares the stored file where it is the same. Delete this one first to fetch it anew.
          </Text>
          <Group justify="flex-end" className="hearth-dialog-actions">
            <ActionButton icon={IconDownload} onClick={onAgain}>
              Download again
            </ActionButton>
            <Button
              component={Link}
              href={`/job/${job.id}`}
              leftSection={<IconExternalLink size={16} aria-hidden />}
              data-autofocus
            >
              Open it
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
