import { Group } from '@mantine/core'
import { answer, CopyButton, RelativeTime, StatusBadge } from '@hearth/ui'
import { IconHistory, IconPencil } from '@tabler/icons-react'
import { useState } from 'react'
import { api, keys, type Share } from '../api.ts'
import { ActionButton, DeleteButton } from '../buttons.tsx'
import { toIsoString } from '../jobs/job.ts'
import { FactsLine } from '../jobs/job-facts.tsx'
import { FetchLog } from './fetch-log.tsx'
import { EditShare } from './share-form.tsx'
import { nameOfShare } from './share-values.ts'
import './shares.css'

/** A share link with its facts and what can be done with it. */
export function ShareLine({ share }: { share: Share }) {
  const [dialog, setDialog] = useState<'edit' | 'log'>()
  const close = () => setDialog(undefined)
  const name = nameOfShare(share)
  return (
    <div className="share-line">
      <code className="hearth-mono">{share.url}</code>
      <ShareFacts share={share} />
      <Group gap="xs">
        <CopyButton text={share.url}>Copy link</CopyButton>
        <ActionButton
          icon={IconPencil}
          variant="subtle"
          aria-label={`Change the link ${name}`}
          onClick={() => setDialog('edit')}
        >
          Change
        </ActionButton>
        <ActionButton
          icon={IconHistory}
          variant="subtle"
          aria-label={`Who fetched by ${name}`}
          onClick={() => setDialog('log')}
        >
          Fetched
        </ActionButton>
        <DeleteButton
          aria-label={`Revoke the link ${name}`}
          title="Revoke the link?"
          losses={['It gives nothing any more', 'A new link has a different address']}
          verb="Revoke link"
          action={{
            run: () => answer(api.DELETE('/api/shares/{id}', { params: { path: { id: share.id } } })),
            done: () => 'The link is revoked',
            renew: [keys.allShares],
          }}
        >
          Revoke
        </DeleteButton>
      </Group>
      {dialog === 'edit' && <EditShare share={share} onClose={close} />}
      {dialog === 'log' && <FetchLog share={share} onClose={close} />}
    </div>
  )
}

function ShareFacts({ share }: { share: Share }) {
  const { state, has_password, max_uses, uses, expires_at, last_fetched_at, files } = share
  return (
    <FactsLine>
      {state === 'ended' && <StatusBadge tone="quiet">Ended</StatusBadge>}
      {state === 'used_up' && <StatusBadge tone="quiet">Used up</StatusBadge>}
      {files.length > 1 && `${files.length} files`}
      {max_uses === 0 ? `Used ${uses}×` : `Used ${uses} of ${max_uses}×`}
      {expires_at === null ? (
        'No expiry'
      ) : (
        <>
          {state === 'ended' ? 'Ended' : 'Ends'} <RelativeTime value={toIsoString(expires_at)} />
        </>
      )}
      {has_password && 'Password'}
      {last_fetched_at !== null && (
        <>
          Last fetched <RelativeTime value={toIsoString(last_fetched_at)} />
        </>
      )}
    </FactsLine>
  )
}
