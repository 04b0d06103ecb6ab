import { Button } from '@mantine/core'
import { EmptyState, QueryState, useSession } from '@hearth/ui'
import { IconPlus, IconUserShield } from '@tabler/icons-react'
import { useState } from 'react'
import { DnsFrame } from '../dns/dns-frame.tsx'
import { ProfileForm } from '../dns/profiles/profile-form.tsx'
import { DeleteProfile, type ProfileDialog, ProfileList } from '../dns/profiles/profile-list.tsx'
import { useProfiles } from '../dns/profiles/profile-queries.ts'
import '../dns/profiles/profiles.css'

/** Profiles of the filter. */
export function DnsProfilesPage() {
  const { isAdmin } = useSession()
  const profiles = useProfiles()
  const [dialog, setDialog] = useState<ProfileDialog | { kind: 'create' }>()
  const close = () => setDialog(undefined)
  const add = isAdmin && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setDialog({ kind: 'create' })}>
      Add profile
    </Button>
  )
  return (
    <DnsFrame>
      <QueryState query={profiles} lines={4} />
      {profiles.data?.length === 0 && (
        <EmptyState icon={IconUserShield} title="No profiles yet" action={add}>
          A profile gives some devices a filter of their own, such as one for children: services that are off, lists,
          rules, and the times at which it holds.
        </EmptyState>
      )}
      {profiles.data !== undefined && profiles.data.length > 0 && (
        <>
          <div className="hearth-toolbar">
            <div className="toolbar-end">{add}</div>
          </div>
          <ProfileList profiles={profiles.data} onOpen={isAdmin ? setDialog : undefined} />
        </>
      )}
      {dialog?.kind === 'create' && <ProfileForm onClose={close} />}
      {dialog?.kind === 'edit' && <ProfileForm profile={dialog.profile} onClose={close} />}
      {dialog?.kind === 'delete' && <DeleteProfile profile={dialog.profile} onClose={close} />}
    </DnsFrame>
  )
}
