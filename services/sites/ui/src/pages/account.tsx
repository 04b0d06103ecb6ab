import { PageHeader, QueryState } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys, readSession } from '../api.ts'
import { RecoverySection } from '../account/recovery-section.tsx'
import { SignInSection } from '../account/sign-in-section.tsx'
import { PasskeySection } from '../passkeys/passkey-section.tsx'

/** The signed-in user's own ways in. */
export function AccountPage() {
  const session = useQuery({ queryKey: keys.account, queryFn: readSession })
  return (
    <>
      <PageHeader title="Account" description="How you sign in here." />
      <div className="hearth-stack">
        <QueryState query={session} lines={4} />
        {session.data !== undefined && <SignInSection session={session.data} />}
        <PasskeySection />
        {session.data !== undefined && <RecoverySection session={session.data} />}
      </div>
    </>
  )
}
