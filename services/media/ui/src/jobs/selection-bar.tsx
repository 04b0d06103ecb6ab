import { Button } from '@mantine/core'
import { formatCount, notifyDone } from '@hearth/ui'
import { IconLink } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionButton } from '../buttons.tsx'
import { NewShare } from '../shares/share-form.tsx'
import type { Selection } from './use-selection.ts'

/** Most files that one link takes. */
const maxFiles = 100

/** Says how many downloads are selected, and shares them with one link. */
export function SelectionBar({ selection: { ids, end } }: { selection: Selection }) {
  const [isSharing, setSharing] = useState(false)
  const [, navigate] = useLocation()
  if (ids === undefined) return null
  const isPossible = ids.size > 0 && ids.size <= maxFiles
  return (
    <section className="hearth-save-bar selection-bar" data-dirty aria-label="Selection">
      <output>
        {ids.size === 0 ? 'Select finished downloads' : `${formatCount(ids.size, 'download')} selected`}
        {ids.size > maxFiles && `; a link takes ${maxFiles}`}
      </output>
      <Button variant="default" onClick={end}>
        Cancel
      </Button>
      <ActionButton icon={IconLink} variant="filled" disabled={!isPossible} onClick={() => setSharing(true)}>
        Share
      </ActionButton>
      {isSharing && (
        <NewShare
          jobIds={[...ids]}
          onClose={() => setSharing(false)}
          onDone={() => {
            end()
            notifyDone('The link is ready to be copied')
            navigate('/links')
          }}
        />
      )}
    </section>
  )
}
