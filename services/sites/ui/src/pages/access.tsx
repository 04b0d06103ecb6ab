import { Stack } from '@mantine/core'
import { PageHeader } from '@hearth/ui'
import { IconUserPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { ExplainSection } from '../access/explain-section.tsx'
import { GroupSection } from '../access/group-section.tsx'
import { SessionSection } from '../access/session-section.tsx'
import { TokenSection } from '../access/token-section.tsx'
import { VisitorDialog } from '../access/visitor-dialog.tsx'
import { IconButton } from '../controls/icon-button.tsx'

/** Who may visit protected sites: groups, sessions, tokens, and why. */
export function AccessPage() {
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <PageHeader
        title="Access"
        description="Who may visit the sites that visitors sign in to. Switch sign-in on in the editor of a site."
        actions={
          <IconButton icon={IconUserPlus} onClick={() => setAdding(true)}>
            Add visitor
          </IconButton>
        }
      />
      <Stack>
        <GroupSection />
        <SessionSection />
        <TokenSection />
        <ExplainSection />
      </Stack>
      {isAdding && <VisitorDialog onClose={() => setAdding(false)} />}
    </>
  )
}
