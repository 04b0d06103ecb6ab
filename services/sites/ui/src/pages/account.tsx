import { PageHeader, QueryState } from '@hearth/ui'
import { useQuery } from '@tanstack/react-query'
import { keys, readSession } from '../api.ts'
import { Passkeys, RecoveryCodes } from '../account/sign-in-methods.tsx'
import { SignInSection } from '../account/sign-in-section.tsx'

/** The signed-in user's sign-in methods. */
export function AccountPage() {
  const session = useQuery({ queryKey: keys.account, queryFn: readSession })
  return (
    <>
      <PageHeader title="Account" description="How you sign in here." />
      <div className="hearth-stack">
        <QueryState query={session} lines={4} />
        {session.data !== undefined && <SignInSection session={session.data} />}
        <Passkeys />
        {session.data !== undefined && <RecoveryCodes session={session.data} />}
      </div>
    </>
  )
}
